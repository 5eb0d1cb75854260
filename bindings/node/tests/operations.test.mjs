import assert from "node:assert/strict";
import { test } from "node:test";

import { z } from "zod";

import { AutomatorInvalidArgumentError, ExtractTimeoutError, LLMResponseError } from "../dist/index.mjs";
import { errorOf, idOf, openSession, reply, serve, textOf } from "./rig.mjs";

const site = await serve({
  "/shop": `<title>Shop</title><main><h1>Lamps</h1><p>Arc lamp, € 49.00</p><a href="/arc">Arc</a></main>
    <button onclick="document.title = 'bought'">Buy</button><input aria-label="Code">`,
  "/other": "<h1>Other</h1>",
});
let answer = () => reply({});
const { session, page, requests } = await openSession((request) => answer(request));

async function shop(next) {
  answer = next;
  requests.length = 0;
  await page.goto(`${site}/shop`);
}

test("the page is read without a model", async () => {
  await shop(() => assert.fail("no model is asked"));
  const { pageText } = await session.extract();
  assert.match(pageText, /heading: Lamps/);
  assert.doesNotMatch((await session.extract({ selector: "main" })).pageText, /Buy/);
});

test("an instruction alone gives text", async () => {
  await shop((request) => reply({ [Object.keys(request.responseFormat.schema.properties)[0]]: "€ 49.00" }));
  assert.deepEqual(await session.extract("the price"), { extraction: "€ 49.00" });
  assert.match(textOf(requests[0]), /the price/);
});

test("a schema gives its type, addresses and transforms included", async () => {
  await shop((request) => reply({ name: "Arc", price: "49", link: idOf(request, "link: Arc") }));
  const schema = z.object({
    name: z.string(),
    price: z.string().transform(Number),
    link: z.string().url(),
  });
  const lamp = await session.extract("the lamp", schema);
  assert.deepEqual(lamp, { name: "Arc", price: 49, link: `${site}/arc` });
});

test("the places on the page come along when they are asked for", async () => {
  await shop(() => reply({ name: "Arc" }));
  const schema = { type: "object", properties: { name: { type: "string" } }, required: ["name"] };
  const { value, provenance } = await session.extractWithProvenance("the lamp", schema);
  assert.deepEqual(value, { name: "Arc" });
  assert.match(provenance["/name"][0].xpath, /^\/html\[1\]/);
});

test("act and observe work with actions", async () => {
  await shop((request) => {
    const wanted = { elementId: idOf(request, "button: Buy"), description: "buy", method: "click", arguments: [] };
    const isList = "elements" in request.responseFormat.schema.properties;
    return reply(isList ? { elements: [wanted] } : { action: wanted, twoStep: false });
  });
  const [found] = await session.observe("what buys");
  assert.equal(found.selector, "xpath=/html[1]/body[1]/button[1]");
  assert.equal((await session.act(found)).success, true);
  assert.equal(await page.title(), "bought");
  await page.goto(`${site}/shop`);
  const done = await page.act("buy it");
  assert.deepEqual(done.actions, [found]);
});

test("variables reach the page and nothing else", async () => {
  await shop((request) =>
    reply({
      action: { elementId: idOf(request, "textbox: Code"), description: "code", method: "fill", arguments: ["%code%"] },
      twoStep: false,
    }),
  );
  const done = await session.act("type %code% as the code", { variables: { code: "S3cret" } });
  assert.equal(done.success, true, done.message);
  assert.equal(await page.locator("input").inputValue(), "S3cret");
  assert.doesNotMatch(JSON.stringify([requests, done, await session.history]), /S3cret/);
});

test("version 2 is on the page", async () => {
  await shop(() => reply({ names: ["Arc"] }));
  const schema = z.object({ names: z.array(z.string()) });
  assert.deepEqual(await page.extract({ instruction: "the names", schema }), { names: ["Arc"] });
  assert.match((await page.extract()).pageText, /Lamps/);
  const error = await errorOf(() => page.extract({ instruction: "the names", schema: z.array(z.string()) }));
  assert.ok(error instanceof AutomatorInvalidArgumentError);
});

test("metrics and history are promises of what has been", async () => {
  await shop(() => reply({ a: "Arc" }));
  const before = await session.metrics;
  await session.extract("a", { type: "object", properties: { a: { type: "string" } } });
  const metrics = await session.metrics;
  assert.equal(metrics.extractPromptTokens - before.extractPromptTokens, 100);
  assert.equal(metrics.totalReasoningTokens - before.totalReasoningTokens, 3);
  const history = await session.history;
  assert.ok(Object.isFrozen(history));
  assert.deepEqual(history.at(-1).result, { a: "Arc" });
  assert.ok(history.some((entry) => entry.method === "navigate"));
});

test("a model client that throws, chats or hangs ends the call with an error of ours", async () => {
  const schema = z.object({ price: z.number() });
  await shop(() => {
    throw new Error("out of order");
  });
  const thrown = await errorOf(() => session.extract("a", schema));
  assert.match(thrown.message, /out of order/);
  assert.ok(thrown instanceof LLMResponseError, thrown.name);
  answer = () => "I would rather chat";
  const chatted = await errorOf(() => session.extract("a", schema));
  assert.ok(chatted instanceof LLMResponseError, chatted.name);
  answer = () => new Promise(() => {});
  const hung = await errorOf(() => session.extract("a", { timeout: 200 }));
  assert.ok(hung instanceof ExtractTimeoutError, hung.name);
});

test("the page of a call is one of ours, and of this session", async () => {
  await shop(() => reply({}));
  const other = await session.context.newPage();
  await other.goto(`${site}/other`);
  session.context.setActivePage(page);
  assert.match((await session.extract({ page: other })).pageText, /Other/);
  await other.close();
  for (const wrong of [{ hello: 1 }, "page", 5]) {
    const error = await errorOf(() => session.extract({ page: wrong }));
    assert.ok(error instanceof AutomatorInvalidArgumentError, error.name);
  }
});
