// Agents: every option, every error, streams, callbacks, tools, questions, the signal.
import assert from "node:assert/strict";
import http from "node:http";
import { after, test } from "node:test";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

import { z } from "zod";
import { z as z3 } from "zod/v3";

import {
  AgentAbortError,
  Automator,
  AutomatorInvalidArgumentError,
  AutomatorNotInitializedError,
  ExperimentalNotConfiguredError,
  MCPConnectionError,
  MissingLLMConfigurationError,
  PageNotFoundError,
  SchemaValidationError,
  tool,
} from "../dist/index.mjs";
import { errorOf, openSession, reply, serve, textOf } from "./rig.mjs";

const PAGE = `<title>Shop</title><h1>Lamps</h1>
<button onclick="document.title = 'pressed'">Press</button>
<button onclick="document.title = 'bought'">Place order</button>
<input aria-label="Code">`;
const site = await serve({ "/": PAGE, "/other": "<title>Other</title><h1>Chairs</h1>" });

/** What the model does next, by turn; then it says that it is through. */
let script = [];
let judgement = {};
const call = (name, args = {}, text = "") => ({ text, toolCalls: [{ id: `c${Math.random()}`, name, arguments: args }] });
const isClosing = (request) => request.tools.length === 1 && request.tools[0].name === "done";

function answer(request) {
  if (request.tools.length === 0) return reply({ elementId: "none" });
  const tokens = { prompt: 100, completion: 20, reasoning: 3, cachedInput: 5 };
  if (isClosing(request)) {
    return { ...call("done", { reasoning: "all finished", taskComplete: true, ...judgement }), tokens };
  }
  const step = script.shift();
  const said = typeof step === "function" ? step(request) : step;
  return { ...(said ?? { text: "nothing is left to do" }), tokens };
}

const { session, page, requests } = await openSession(answer, { experimental: true });
const { session: plain } = await openSession(answer);

/** Runs a task with this script, on the page of the shop. */
async function run(steps, options = {}, config = {}) {
  await begin(steps);
  return await session.agent(config).execute({ instruction: "use the shop", ...options });
}

async function begin(steps, closing = {}) {
  script = [...steps];
  judgement = closing;
  requests.length = 0;
  await page.goto(`${site}/`);
}

/** The element of the line that ends so, for `act`. */
const press = (name) => (request) => {
  const [, id] = new RegExp(`\\[(\\d+-\\d+)\\] button: ${name}`).exec(textOf(request));
  return call("act", { action: `click [${id}]` });
};
const lastResult = (request) => request.messages.flatMap((message) => message.content).filter((part) => part.type === "toolResult").at(-1)?.content;
const turns = () => requests.filter((request) => request.tools.length > 0 && !isClosing(request));

test("a task is done, and told in full", async () => {
  await begin([press("Press")]);
  const result = await session.agent().execute("press the button");
  assert.equal(await page.title(), "pressed");
  assert.deepEqual([result.success, result.completed, result.message], [true, true, "all finished"]);
  assert.deepEqual(result.actions.map((action) => action.type), ["act", "done"]);
  assert.equal(result.actions[0].pageUrl, `${site}/`);
  assert.match(result.actions[0].action, /^click/);
  assert.ok(Math.abs(result.actions[0].timestamp - Date.now()) < 60_000);
  assert.ok(result.usage.input_tokens >= 200 && result.usage.output_tokens > 0, JSON.stringify(result.usage));
  assert.ok(Array.isArray(result.messages) && !("output" in result));
  assert.match(textOf(requests[0]), /press the button/);
  assert.ok((await session.metrics).agentPromptTokens >= 200);
});

test("steps are limited, and the model is asked what came of the task", async () => {
  judgement = {};
  const think = call("think", { reasoning: "hm" });
  const steps = [think, call("wait", { timeMs: 1 }), call("think", { reasoning: "so" }), think];
  const { actions } = await run(steps, { maxSteps: 2 });
  assert.equal(turns().length, 2);
  assert.deepEqual(actions.map((action) => action.type), ["think", "wait", "done"]);
});

test("values of variables reach only the page", async () => {
  await begin([(request) => call("act", { action: `type "%code%" into [${/\[(\d+-\d+)\] textbox: Code/.exec(textOf(request))[1]}]` })]);
  const variables = { code: { value: "Top-5", description: "the code of the door" } };
  const result = await session.agent().execute({ instruction: "type %code%", variables });
  assert.equal(await page.locator("input").inputValue(), "Top-5");
  assert.doesNotMatch(JSON.stringify([requests, result]), /Top-5/);
  assert.match(textOf(requests[0]), /the code of the door/);
});

test("a run works on the page that it is given", async () => {
  const other = await session.context.newPage(`${site}/other`);
  try {
    await begin([]);
    session.context.setActivePage(page);
    await session.agent().execute({ instruction: "look", page: other });
    assert.match(textOf(requests[0]), /Chairs/);
    assert.doesNotMatch(textOf(requests[0]), /Lamps/);
  } finally {
    await other.close();
  }
  const error = await errorOf(() => session.agent().execute({ instruction: "look", page: other }));
  assert.ok(error instanceof PageNotFoundError, String(error));
});

test("limits of time, of tokens and of tools are kept to", async () => {
  const wait = call("wait", { timeMs: 5_000 });
  const limited = await run([wait], { timeout: 300 });
  assert.deepEqual([limited.success, /timeout/.test(limited.message)], [false, true], limited.message);
  let told;
  await run([wait, (request) => { told = lastResult(request); }], { toolTimeout: 200 });
  assert.match(told, /200 ms/);
  const spent = await run([call("think", { reasoning: "a" }), call("think", { reasoning: "b" })], { maxTokens: 50 });
  assert.equal(turns().length, 1);
  assert.match(spent.message, /50 tokens|token/i);
});

test("a cost needs the price of the model", async () => {
  const error = await errorOf(() => run([], { maxCost: 1 }));
  assert.ok(error instanceof AutomatorInvalidArgumentError, String(error));
  assert.match(error.message, /price/);
});

test("tools can be left out, and instructions added", async () => {
  await run([], { excludeTools: ["goto", "extract"] }, { systemPrompt: "Speak Dutch.", mode: "dom" });
  const names = turns()[0].tools.map(({ name }) => name);
  assert.ok(names.includes("act") && !names.includes("goto") && !names.includes("extract"), String(names));
  assert.match(textOf(requests[0]), /Speak Dutch\./);
  const error = await errorOf(() => run([], { excludeTools: ["fly"] }));
  assert.ok(error instanceof AutomatorInvalidArgumentError && /fly/.test(error.message), String(error));
  await run([], { highlightCursor: true, useSearch: false }, { mode: "hybrid" });
  assert.ok(turns()[0].tools.some(({ name }) => name === "dragAndDrop"));
});

for (const [library, schema] of Object.entries({
  "Zod 4": z.object({ total: z.string().transform(Number), unit: z.string().default("EUR") }),
  "Zod 3": z3.object({ total: z3.string().transform(Number), unit: z3.string().default("EUR") }),
})) {
  test(`the output goes through the schema of ${library}`, async () => {
    await begin([], { output: { total: "42" } });
    const { output } = await session.agent().execute({ instruction: "add", output: schema });
    assert.deepEqual(output, { total: 42, unit: "EUR" });
  });
}

test("the output may be a list, of a JSON Schema; a run that is stopped has none", async () => {
  await begin([], { output: ["a", "b"] });
  const output = { type: "array", items: { type: "string" } };
  assert.deepEqual((await session.agent().execute({ instruction: "list", output })).output, ["a", "b"]);
  const stopped = await run([call("wait", { timeMs: 5_000 })], { timeout: 200, output });
  assert.ok(!("output" in stopped));
});

test("an output that the caller's own schema refuses is an error of the agent", async () => {
  await begin([], { output: { total: 42 } });
  const output = z.object({ total: z.number().refine((total) => total < 10, "too much") });
  const error = await errorOf(() => session.agent().execute({ instruction: "add", output }));
  assert.ok(error instanceof SchemaValidationError);
  assert.match(error.message, /^agent: the value does not fit the schema: \/total: too much$/);
  assert.equal(error.operation, "agent");
  // What was done is not lost.
  assert.deepEqual(error.result.output, { total: 42 });
  assert.equal(error.result.success, true);
  assert.ok(error.result.usage.input_tokens > 0);
});

test("a run goes on with the messages of an earlier one", async () => {
  const { messages } = await run([call("think", { reasoning: "the code is 7" })]);
  await run([], { instruction: "what was the code?", messages });
  assert.match(JSON.stringify(requests[0].messages), /the code is 7/);
  const own = [{ role: "user", content: "hello" }, { role: "assistant", content: [{ type: "text", text: "good day" }] }];
  await run([], { messages: own });
  assert.match(textOf(requests[0]), /good day/);
  const error = await errorOf(() => run([], { messages: [{ role: "ghost", content: "boo" }] }));
  assert.match(error.message, /messages\[0\]/);
});

test("tools of one's own are called with what their schema makes of it", async () => {
  const calls = [];
  const tools = {
    weather: tool({
      description: "The weather in a city.",
      inputSchema: z.object({ city: z.string().transform((city) => city.toUpperCase()), days: z.number().default(1) }),
      execute: async (input, { abortSignal }) => {
        calls.push([input, abortSignal.aborted]);
        return { rain: true };
      },
    }),
    older: { parameters: z3.object({ a: z3.number() }), execute: ({ a }) => `a is ${a}` },
    raw: { inputSchema: { type: "object", properties: { b: { type: "number" } } }, execute: ({ b }) => b + 1 },
    // As `jsonSchema()` of the AI SDK gives it.
    wrapped: { inputSchema: { jsonSchema: { type: "object", properties: {} } }, execute: () => undefined },
    bare: { execute: () => null },
  };
  const results = [];
  const after = (next) => (request) => {
    results.push(lastResult(request));
    return next;
  };
  await run(
    [
      call("weather", { city: "delft" }),
      after(call("older", { a: 5 })),
      after(call("raw", { b: 1 })),
      after(call("wrapped")),
      after(call("bare")),
      after(undefined),
    ],
    {},
    { tools },
  );
  assert.deepEqual(calls, [[{ city: "DELFT", days: 1 }, false]]);
  assert.match(results[0], /"rain": ?true/);
  assert.match(results[1], /a is 5/);
  assert.match(results[2], /2/);
  const told = Object.fromEntries(turns()[0].tools.map((tool) => [tool.name, tool]));
  assert.equal(told.weather.description, "The weather in a city.");
  assert.deepEqual(Object.keys(told.weather.parameters.properties), ["city", "days"]);
  assert.deepEqual(told.weather.parameters.required, ["city"]);
  assert.equal(told.bare.parameters.type, "object");
});

test("what a tool throws goes back to the model", async () => {
  const results = [];
  const after = (next) => (request) => {
    results.push(lastResult(request));
    return next;
  };
  const tools = {
    throws: { execute: () => { throw new Error("no umbrella"); } },
    rejects: { execute: async () => { throw "only words"; } },
    picky: { inputSchema: z.object({ n: z.number() }), execute: () => "never" },
    odd: { execute: () => 10n },
  };
  const steps = [call("throws"), after(call("rejects")), after(call("picky", { n: "x" })), after(call("odd")), after()];
  const result = await run(steps, {}, { tools });
  assert.equal(result.success, true);
  assert.match(results[0], /no umbrella/);
  assert.match(results[1], /only words/);
  assert.match(results[2], /picky: the value does not fit the schema: \/n/);
  assert.match(results[3], /bigint/);
  assert.deepEqual(result.actions.slice(0, 4).map((action) => action.success), [false, false, false, false]);
});

test("a tool is told when nobody waits for it any more", async () => {
  let aborted;
  const told = new Promise((resolve) => { aborted = resolve; });
  const slow = { execute: (_, { abortSignal }) => new Promise(() => abortSignal.addEventListener("abort", aborted)) };
  await run([call("slow")], { toolTimeout: 200 }, { tools: { slow } });
  await told;
});

test("a stream has the words, the events and the result, and can be read twice", async () => {
  await begin([call("think", { reasoning: "plan" }, "thinking aloud")]);
  const stream = await session.agent({ stream: true }).execute("go");
  let text = "";
  for await (const piece of stream.textStream) text += piece;
  const events = [];
  for await (const event of stream.fullStream) events.push(event);
  const result = await stream.result;
  assert.match(text, /thinking aloud/);
  const types = events.map((event) => event.type);
  assert.equal(types[0], "start-step");
  assert.equal(types.at(-1), "finish");
  assert.deepEqual(events.at(-1).result, result);
  const toolCall = events.find((event) => event.type === "tool-call");
  assert.deepEqual([toolCall.step, toolCall.toolName, toolCall.input], [1, "think", { reasoning: "plan" }]);
  const toolResult = events.find((event) => event.type === "tool-result");
  assert.deepEqual([toolResult.toolCallId, toolResult.action.type, toolResult.isError], [toolCall.toolCallId, "think", false]);
  assert.equal(result.success, true);
  let again = "";
  for await (const piece of stream.textStream) again += piece;
  assert.equal(again, text);
});

test("a stream that nobody reads comes to its result, with an output that was checked", async () => {
  await begin([], { output: { total: "7" } });
  const output = z.object({ total: z.string().transform(Number) });
  const stream = await session.agent({ stream: true }).execute({ instruction: "go", output });
  assert.deepEqual((await stream.result).output, { total: 7 });
});

test("a stream that is aborted ends, and its result rejects", async () => {
  await begin([call("wait", { timeMs: 5_000 })]);
  const controller = new AbortController();
  const stream = await session.agent({ stream: true }).execute({ instruction: "go", signal: controller.signal });
  const events = [];
  for await (const event of stream.fullStream) {
    events.push(event.type);
    if (event.type === "tool-call") controller.abort();
  }
  assert.equal(events.at(-1), "abort");
  assert.ok((await errorOf(() => stream.result)) instanceof AgentAbortError);
});

test("a stream that cannot begin rejects at once", async () => {
  const agent = session.agent({ stream: true });
  assert.ok((await errorOf(() => agent.execute(" "))) instanceof AutomatorInvalidArgumentError);
  const controller = new AbortController();
  controller.abort();
  const aborted = await errorOf(() => agent.execute({ instruction: "go", signal: controller.signal }));
  assert.ok(aborted instanceof AgentAbortError);
});

test("callbacks are told what happens, and what they throw harms nothing", async () => {
  await begin([call("think", { reasoning: "plan" }, "first this")], { output: { n: 1 } });
  const told = [];
  const finished = await session.agent().execute({
    instruction: "go",
    output: z.object({ n: z.number() }),
    callbacks: {
      onStepFinish: (step) => { told.push(["step", step]); throw new Error("not today"); },
      onChunk: ({ chunk }) => told.push(["chunk", chunk.type]),
      onFinish: async (result) => { told.push(["finish", result]); },
      onError: () => told.push(["error"]),
      onAbort: undefined,
    },
  });
  const steps = told.filter(([name]) => name === "step").map(([, step]) => step);
  assert.equal(steps.length, 2);
  assert.deepEqual([steps[0].step, steps[0].text, steps[0].finishReason], [1, "first this", "tool-calls"]);
  assert.deepEqual(steps[0].toolCalls.map(({ toolName }) => toolName), ["think"]);
  assert.deepEqual(steps[0].toolResults.map(({ action }) => action.type), ["think"]);
  assert.equal(steps[1].finishReason, "stop");
  assert.ok(steps[1].usage.input_tokens >= 200);
  const chunks = told.filter(([name]) => name === "chunk").map(([, type]) => type);
  assert.ok(["text-delta", "tool-call", "tool-result"].every((type) => chunks.includes(type)), String(chunks));
  assert.deepEqual(told.at(-1), ["finish", finished]);
  assert.ok(told.every(([name]) => name !== "error"));
});

test("callbacks are told of errors and aborts", async () => {
  const told = [];
  const callbacks = { onError: ({ error }) => told.push(error), onAbort: ({ error, steps }) => told.push([error, steps]) };
  const wrong = await errorOf(() => run([], { callbacks, instruction: " " }));
  assert.deepEqual(told, [wrong]);
  const controller = new AbortController();
  const steps = [call("think", { reasoning: "a" }), call("wait", { timeMs: 5_000 })];
  setTimeout(() => controller.abort(), 1_500);
  const aborted = await errorOf(() => run(steps, { callbacks, signal: controller.signal }));
  assert.equal(told[1][0], aborted);
  assert.equal(told[1][1].length, 1);
});

test("a signal ends a run, and its reason is the cause", async () => {
  const controller = new AbortController();
  const reason = new Error("the user has left");
  setTimeout(() => controller.abort(reason), 300);
  const began = Date.now();
  const error = await errorOf(() => run([call("wait", { timeMs: 8_000 })], { signal: controller.signal }));
  assert.ok(error instanceof AgentAbortError, String(error));
  assert.match(error.message, /the user has left/);
  assert.equal(error.cause, reason);
  assert.ok(Date.now() - began < 5_000);
  const given = await errorOf(() => run([], { signal: AbortSignal.abort() }));
  assert.ok(given instanceof AgentAbortError);
  assert.equal(given.message, "agent: the run was aborted");
});

test("confirm is asked before what cannot be taken back", async () => {
  const asked = [];
  const confirm = async (request) => {
    asked.push(request);
    return true;
  };
  await run([press("Place order")], { confirm });
  assert.equal(await page.title(), "bought");
  assert.equal(asked.length, 1);
  assert.deepEqual([asked[0].kind, asked[0].url], ["purchase", `${site}/`]);
  assert.match(asked[0].description, /Place order/);
  assert.ok(asked[0].selector.length > 0);
  await run([press("Press")], { confirm });
  assert.equal(asked.length, 1);
});

for (const [how, confirm] of Object.entries({
  "a no": () => false,
  "a promise of a no": async () => false,
  "nothing": () => undefined,
  "an error": () => { throw new Error("nobody is here"); },
  "a rejection": async () => { throw new Error("nobody is here"); },
})) {
  test(`${how} of confirm is a refusal`, async () => {
    let told;
    const result = await run([press("Place order"), (request) => { told = lastResult(request); }], { confirm });
    assert.equal(await page.title(), "Shop");
    assert.match(told, /refuse|not allowed|declined|said no|was not/i);
    assert.equal(result.actions[0].success, false);
  });
}

test("a question that is never answered counts as nothing, whatever is collected meanwhile", async () => {
  setFlagsFromString("--expose-gc");
  const collecting = setInterval(runInNewContext("gc"), 50);
  after(() => clearInterval(collecting));
  let isTold = false;
  const began = Date.now();
  const confirm = () => new Promise(() => undefined);
  const result = await run([press("Place order"), () => { isTold = true; }], { confirm, timeout: 3000 });
  clearInterval(collecting);
  assert.ok(Date.now() - began >= 2900, `after ${Date.now() - began} ms: ${result.message}`);
  assert.equal(isTold, false, "the model was told of an answer");
  assert.equal(await page.title(), "Shop");
  assert.equal(result.success, false);
});

const EXPERIMENTAL = {
  "a stream": [{ stream: true }, {}],
  "callbacks": [{}, { callbacks: { onFinish: () => undefined } }],
  "a signal": [{}, { signal: new AbortController().signal }],
  "messages": [{}, { messages: [] }],
  "excludeTools": [{}, { excludeTools: ["goto"] }],
  "output": [{}, { output: z.object({ n: z.number() }) }],
  "tools of one's own": [{ tools: { mine: { execute: () => 1 } } }, {}],
};

for (const [what, [config, options]] of Object.entries(EXPERIMENTAL)) {
  test(`${what} needs an experimental session`, async () => {
    const error = await errorOf(() => plain.agent(config).execute({ instruction: "go", ...options }));
    assert.ok(error instanceof ExperimentalNotConfiguredError, String(error));
    assert.match(error.hint, /experimental: true/);
  });
}

test("tools of a server by the Model Context Protocol are the model's as well", async () => {
  const server = { command: process.execPath, args: [new URL("mcp-server.mjs", import.meta.url).pathname], env: { SPEAKER: "the wind" } };
  const result = await run([call("weather", { city: "Bonn" })], {}, { integrations: [server] });
  assert.equal(result.success, true, result.message);
  assert.equal(result.actions[0].type, "weather");
  assert.match(JSON.stringify(lastResult(turns().at(-1))), /rain in Bonn, said the wind/);
});

for (const [what, server] of Object.entries({
  "a program that is not there": { command: "no-such-program" },
  "an address where nobody listens": "http://127.0.0.1:9/mcp?key=secret",
})) {
  test(`${what} is no server of tools`, async () => {
    const error = await errorOf(() => run([], {}, { integrations: [server] }));
    assert.ok(error instanceof MCPConnectionError, String(error));
    assert.match(error.message, /no-such-program|127\.0\.0\.1:9/);
    assert.doesNotMatch(`${error} ${error.hint}`, /secret|rmcp/);
    assert.equal(requests.length, 0);
  });
}

/** What each wrong call is told. */
const WRONG = {
  "a configuration that is a text": [() => session.agent("dom"), /^config must be an object, not "dom"/],
  "a misspelt configuration": [() => session.agent({ systemprompt: "x" }), /systemPrompt/],
  "a mode that is none": [() => session.agent({ mode: "fast" }), /config\.mode must be/],
  "a stream that is no boolean": [() => session.agent({ stream: "yes" }), /config\.stream must be true or false, not "yes"/],
  "a model that is none": [() => session.agent({ model: 5 }), /model/],
  "an integration that is none": [() => session.agent({ integrations: [5] }), /integrations/],
  "a list of tools": [() => session.agent({ tools: [] }), /^config\.tools must be an object, not a list$/],
  "a tool that is a function": [() => session.agent({ tools: { a() {} } }), /^config\.tools\.a must be an object/],
  "a tool that does nothing": [() => session.agent({ tools: { a: {} } }), /^config\.tools\.a\.execute must be a function, not undefined$/],
  "a tool with another description": [() => session.agent({ tools: { a: { description: 5, execute() {} } } }), /config\.tools\.a\.description/],
  "a tool with a schema that is none": [() => session.agent({ tools: { a: { inputSchema: 5, execute() {} } } }), /config\.tools\.a\.inputSchema must be a schema, not 5/],
  "a tool of a list": [() => session.agent({ tools: { a: { inputSchema: z.array(z.string()), execute() {} } } }), /inputSchema must be the schema of an object/],
  "a tool of a date": [() => session.agent({ tools: { a: { inputSchema: z.object({ d: z.date() }), execute() {} } } }), /config\.tools\.a\.inputSchema: d of the schema/],
  "a tool whose name is taken": [() => session.agent({ tools: { act: { execute() {} } } }).execute("go"), /there is a tool "act" already/],
  "no task": [() => session.agent().execute(), /^agent: the task must be a text or options, not undefined$/],
  "a task that is a number": [() => session.agent().execute(5), /^options must be an object, not 5$/],
  "options without a task": [() => session.agent().execute({ maxSteps: 1 }), /options\.instruction is missing/],
  "an empty task": [() => session.agent().execute(" "), /the instruction is empty/],
  "a misspelt option": [() => session.agent().execute({ instruction: "go", maxStep: 1 }), /maxSteps/],
  "no steps": [() => session.agent().execute({ instruction: "go", maxSteps: 0 }), /maxSteps must be a whole number of at least 1, not 0/],
  "half a token": [() => session.agent().execute({ instruction: "go", maxTokens: 1.5 }), /options\.maxTokens must be a whole number of at least 1, not 1\.5/],
  "an inner model without a provider": [() => session.agent({ executionModel: "x" }), /executionModel must have the form provider\/model.*"x"/],
  "a broken price": [() => session.agent({ model: { modelName: "a/b", price: { input: 1 } } }), /model\.price\.output is missing: it must be a number/],
  "an output that is a list": [() => session.agent().execute({ instruction: "go", output: [] }), /options\.output must be a schema, not a list/],
  "a call without its result": [() => session.agent().execute({ instruction: "go", messages: [{ role: "assistant", content: [{ type: "toolCall", id: "a", name: "wait", arguments: {} }] }] }), /messages\[0\]\.content\[0\] is a call, and no message after it has the result of "a"/],
  "an output that says nothing": [() => session.agent().execute({ instruction: "go", output: {} }), /options\.output is \{\}/],
  "a message with a part that cannot be sent": [() => session.agent().execute({ instruction: "go", messages: [{ role: "user", content: [{ type: "video" }] }] }), /messages\[0\]\.content\[0\] has the type "video"/],
  "half a step": [() => session.agent().execute({ instruction: "go", maxSteps: 1.5 }), /options\.maxSteps/],
  "a limit that is a text": [() => session.agent().execute({ instruction: "go", toolTimeout: "1s" }), /options\.toolTimeout/],
  "a search": [() => session.agent().execute({ instruction: "go", useSearch: true }), /search/],
  "an output that is no schema": [() => session.agent().execute({ instruction: "go", output: "text" }), /^options\.output must be a schema, not "text"$/],
  "an output without an object": [() => session.agent().execute({ instruction: "go", output: { a: z.string() } }), /z\.object/],
  "a signal that is none": [() => session.agent().execute({ instruction: "go", signal: new AbortController() }), /^options\.signal must be an AbortSignal, not an AbortController$/],
  "a callback of another name": [() => session.agent().execute({ instruction: "go", callbacks: { onStepFinished() {} } }), /did you mean "onStepFinish"/],
  "a callback that is none": [() => session.agent().execute({ instruction: "go", callbacks: { onChunk: 5 } }), /^options\.callbacks\.onChunk must be a function, not 5$/],
  "callbacks that are none": [() => session.agent().execute({ instruction: "go", callbacks: [] }), /^options\.callbacks must be an object, not a list$/],
  "a question that is none": [() => session.agent().execute({ instruction: "go", confirm: true }), /^options\.confirm must be a function, not true$/],
  "messages that are none": [() => session.agent().execute({ instruction: "go", messages: "hello" }), /options\.messages/],
  "a page that is none": [() => session.agent().execute({ instruction: "go", page: {} }), /^options\.page must be a page/],
};

for (const [what, [wrong, words]] of Object.entries(WRONG)) {
  test(`${what} is refused by name`, async () => {
    const error = await errorOf(async () => await wrong());
    assert.ok(error instanceof AutomatorInvalidArgumentError, String(error));
    assert.match(error.message, words);
  });
}

test("nothing is done before init, and without a model", async () => {
  const closed = new Automator({ env: "LOCAL" });
  const error = await errorOf(() => closed.agent().execute("go"));
  assert.ok(error instanceof AutomatorNotInitializedError, String(error));
  const key = process.env.OPENAI_API_KEY;
  delete process.env.OPENAI_API_KEY;
  const { session: keyless } = await openSession(undefined, { llmClient: undefined, model: "openai/gpt-4.1-mini" });
  const missing = await errorOf(() => keyless.agent().execute("go"));
  if (key !== undefined) process.env.OPENAI_API_KEY = key;
  assert.ok(missing instanceof MissingLLMConfigurationError, String(missing));
});

test("options that are undefined or null are as good as not given", async () => {
  await begin([]);
  const agent = plain.agent({ tools: undefined, integrations: [], stream: undefined, model: undefined });
  const nothing = { output: undefined, signal: null, callbacks: undefined, confirm: null, page: undefined, messages: null };
  const result = await agent.execute({ instruction: "go", ...nothing });
  assert.equal(result.success, true);
});

/** A server that answers as Anthropic does: it presses a place, says that it is through, and judges. */
async function serveComputerUser(asked) {
  const server = http.createServer(async (request, response) => {
    let body = "";
    for await (const piece of request) body += piece;
    const { messages, tools } = JSON.parse(body);
    asked.push({ messages, tools, beta: request.headers["anthropic-beta"] });
    const use = (name, input) => ({ type: "tool_use", id: `t${asked.length}`, name, input });
    const content =
      tools[0].name === "done"
        ? use("done", { reasoning: "pressed it", taskComplete: true })
        : messages.length === 1
          ? use("computer", { action: "left_click", coordinate: [100, 25] })
          : { type: "text", text: "That is all." };
    const usage = { input_tokens: 100, output_tokens: 20 };
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify({ type: "message", role: "assistant", content: [content], stop_reason: "end_turn", usage }));
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  after(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${server.address().port}/v1`;
}

test("a model that uses computers is shown the window and presses a place", async () => {
  const asked = [];
  const baseURL = await serveComputerUser(asked);
  const pressed = await serve({
    "/": `<style>body { margin: 0 } button { width: 200px; height: 50px }</style>
      <button onclick="document.title = 'pressed'">Press</button>`,
  });
  await page.goto(`${pressed}/`);
  const model = { modelName: "anthropic/claude-sonnet-4-5", apiKey: "key", baseURL };
  const result = await session.agent({ mode: "cua", model }).execute("press it");
  assert.deepEqual([result.success, result.message, await page.title()], [true, "pressed it", "pressed"]);
  assert.deepEqual(result.actions.map((action) => action.type), ["click", "done"]);
  assert.deepEqual(result.actions[0].coordinates, [100, 25]);
  assert.equal(result.usage.input_tokens, 300);
  assert.equal(asked[0].beta, "computer-use-2025-01-24");
  const error = await errorOf(() => session.agent({ mode: "cua", model }).execute({ instruction: "go", variables: { a: "b" } }));
  assert.ok(error instanceof AutomatorInvalidArgumentError, String(error));
  const none = await errorOf(() => session.agent({ mode: "cua", model: "openai/gpt-4.1-mini" }).execute("go"));
  assert.ok(none instanceof AutomatorInvalidArgumentError, String(none));
  assert.match(none.message, /does not use computers/);
});
