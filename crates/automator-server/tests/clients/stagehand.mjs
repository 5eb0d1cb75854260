// The TypeScript library whose operations run on a server, against ours.

import assert from "node:assert/strict";
import { Stagehand } from "@browserbasehq/stagehand";
import { z } from "zod";

const { SERVER, KEY, PAGE, MODEL } = process.env;
process.env.STAGEHAND_API_URL = SERVER;
process.env.BROWSERBASE_BASE_URL = SERVER;

const lines = [];
const options = {
  env: "BROWSERBASE",
  apiKey: KEY,
  projectId: "ours",
  model: { modelName: "openai/gpt-4.1-mini", apiKey: "sk-test", baseURL: MODEL },
  verbose: 2,
  disablePino: true,
  logger: (line) => lines.push(line),
};

const status = async (id) => {
  const reply = await fetch(`${SERVER}/v1/sessions/${id}`, { headers: { "x-bb-api-key": KEY } });
  return (await reply.json()).status;
};

// Every operation, on the server.
const first = new Stagehand({ ...options, keepAlive: true });
await first.init();
const id = first.browserbaseSessionID ?? first.browserbaseSessionId;
const page = first.context.pages()[0];
const response = await page.goto(PAGE);
assert.equal(response.status(), 200);
const [button] = await first.observe("find the button");
assert.equal(button.method, "click");
assert.equal((await first.act(button)).success, true);
const acted = await first.act("press go");
assert.equal(acted.success, true);
assert.ok(["HIT", "MISS"].includes(acted.cacheStatus));

const text = await first.extract("the product");
assert.equal(text.extraction, "A lamp");
assert.equal(text.cacheStatus, "MISS");
const again = await first.extract("the product");
assert.deepEqual([again.extraction, again.cacheStatus], ["A lamp", "HIT"]);
const fresh = await first.extract("the product", { serverCache: false });
assert.equal(fresh.cacheStatus, undefined);
const typed = await first.extract("the product as an object", z.object({ name: z.string() }));
assert.equal(typed.name, "A lamp");
const scoped = await first.extract("the product as an object", z.object({ name: z.string() }), { selector: "h1" });
assert.equal(scoped.name, "A lamp");
assert.match((await first.extract()).pageText, /A lamp/);
const agent = first.agent({ mode: "dom", systemPrompt: "Be brief." });
const executed = await agent.execute({ instruction: "press go", maxSteps: 5, highlightCursor: false });
assert.equal(executed.success, true);
assert.equal(executed.message, "Pressed it.");
assert.deepEqual(executed.actions.map((action) => action.type), ["act", "done"]);
assert.ok(executed.usage.input_tokens > 0);
assert.equal((await first.agent().execute("press go")).completed, true);
const metrics = await first.metrics;
assert.ok(metrics.agentPromptTokens > 0);
assert.ok(metrics.actPromptTokens > 0 && metrics.extractPromptTokens > 0 && metrics.observePromptTokens > 0);
assert.ok(lines.some((line) => line.category === "extraction"), "log lines of the server");
await assert.rejects(() => first.extract("fail", z.object({ count: z.number() })), /schema/);
await first.close();
assert.equal(await status(id), "RUNNING");

// The same session once more, which ends now.
const second = new Stagehand({ ...options, browserbaseSessionID: id });
await second.init();
assert.equal((await second.extract("the product")).extraction, "A lamp");
await second.close();
assert.equal(await status(id), "COMPLETED");

// Operations in the client, over the socket.
const third = new Stagehand({ ...options, experimental: true });
await third.init();
await third.context.pages()[0].goto(PAGE);
assert.match(await third.context.pages()[0].evaluate("document.body.innerText"), /A lamp/);
const thirdID = third.browserbaseSessionID ?? third.browserbaseSessionId;
await third.close();
console.log(JSON.stringify({ left: thirdID }));
process.exit(0);
