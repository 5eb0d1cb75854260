// Model clients of the user's own: what they throw, and answers that are not what they should be.
import assert from "node:assert/strict";
import { test } from "node:test";

import { Automator, AutomatorInvalidArgumentError, LLMResponseError } from "../dist/index.mjs";
import { errorOf, openSession, reply, serve } from "./rig.mjs";

const site = await serve({ "/": "<h1>Lamps</h1>" });
const SCHEMA = { type: "object", properties: { name: { type: "string" } }, required: ["name"] };
const NAME = { name: "Arc" };

/** By its instruction, what a call of the model comes to; how often each was asked. */
const outcomes = new Map();
const asked = new Map();
const lines = [];
const { session, page } = await openSession(
  (request) => {
    const told = JSON.stringify(request.messages);
    const instruction = [...outcomes.keys()].find((name) => told.includes(name));
    const turn = asked.get(instruction) ?? 0;
    asked.set(instruction, turn + 1);
    return outcomes.get(instruction)(turn);
  },
  { verbose: 1, logger: (line) => lines.push(line.message) },
);
await page.goto(site);

/** Extracts with a client that does this. */
function extract(instruction, outcome) {
  outcomes.set(instruction, outcome);
  return session.extract(instruction, SCHEMA);
}

/** A client that throws this the first time. */
const throwing = (thrown) => (turn) => {
  if (turn > 0) return reply(NAME);
  throw thrown;
};

const THROWN = {
  "an error": [new Error("boom"), /^extract: the client of test\/scripted failed: boom$/],
  "an error of its own class": [new (class Mine extends TypeError {})("mine"), /failed: mine$/],
  "null": [null, /null was thrown/],
  "a text": ["only words", /failed: only words$/],
  "a status": [{ status: 401 }, /failed \(HTTP 401\): an object without a message was thrown/],
  "a symbol": [Symbol("x"), /a symbol was thrown/],
};

for (const [what, [thrown, words]] of Object.entries(THROWN)) {
  test(`${what} that a client throws is the cause, and nothing is tried again`, async () => {
    const error = await errorOf(() => extract(`<throws ${what}>`, throwing(thrown)));
    assert.ok(error instanceof LLMResponseError, String(error));
    assert.equal(error.cause, thrown);
    assert.match(error.message, words);
    assert.doesNotMatch(error.message, /GenericFailure/);
    assert.equal(asked.get(`<throws ${what}>`), 1);
  });
}

test("a client that rejects without a reason is reported in words", async () => {
  const error = await errorOf(() => extract("<no reason>", () => Promise.reject()));
  assert.ok(error instanceof LLMResponseError, String(error));
  assert.match(error.message, /undefined was thrown/);
});

const failure = (members) => Object.assign(new Error("busy"), members);
const PASSING = {
  ...Object.fromEntries([408, 409, 425, 429, 500, 503].map((status) => [`status ${status}`, failure({ status })])),
  "statusCode 503": failure({ statusCode: 503 }),
  "a broken connection": failure({ code: "ECONNRESET" }),
  "a failed fetch": Object.assign(new TypeError("fetch failed"), { cause: failure({ code: "ENOTFOUND" }) }),
};

test("what may pass is tried again", async () => {
  await Promise.all(
    Object.entries(PASSING).map(async ([what, thrown]) => {
      assert.deepEqual(await extract(`<passing ${what}>`, throwing(thrown)), NAME, what);
      assert.equal(asked.get(`<passing ${what}>`), 2, what);
    }),
  );
});

test("what does not pass is not tried again", async () => {
  for (const status of [400, 401, 404, 422, 501]) {
    assert.equal((await errorOf(() => extract(`<lasting ${status}>`, throwing(failure({ status }))))).cause.status, status);
    assert.equal(asked.get(`<lasting ${status}>`), 1);
  }
});

test("the pause that an error asks for is kept, in whatever form", async () => {
  const forms = {
    seconds: { retryAfter: 2 },
    header: { headers: { "retry-after": "2" } },
    headers: { headers: new Headers({ "retry-after-ms": "2000" }) },
    date: { response: { headers: new Headers({ "retry-after": new Date(Date.now() + 3_000).toUTCString() }) } },
  };
  await Promise.all(
    Object.entries(forms).map(async ([form, members]) => {
      const started = performance.now();
      await extract(`<pause ${form}>`, throwing(failure({ status: 429, ...members })));
      assert.ok(performance.now() - started > 1_900, form);
    }),
  );
  const error = await errorOf(() => extract("<pause too long>", throwing(failure({ status: 429, retryAfter: 3_600 }))));
  assert.match(error.message, /busy/);
});

const UNUSABLE = {
  nothing: [undefined, /gave undefined, not a text or an object/],
  "a function": [() => {}, /gave a function/],
  "a symbol": [Symbol("x"), /gave a symbol/],
  "a number": [5, /gave 5/],
  "a list": [[], /gave a list/],
  "a circle": [(() => { const circle = { text: "{}" }; circle.self = circle; return circle; })(), /cannot be written as JSON/],
  "a text that is none": [{ text: 5 }, /its text is 5, not a text/],
  "the value itself": [{ name: "Arc" }, /it has a member "name"/],
};

for (const [what, [answer, words]] of Object.entries(UNUSABLE)) {
  test(`${what} in place of an answer is refused in words`, async () => {
    const error = await errorOf(() => extract(`<answers ${what}>`, () => answer));
    assert.ok(error instanceof LLMResponseError, String(error));
    assert.match(error.message, words);
    assert.doesNotMatch(error.message, /expected|invalid type|unknown field/);
  });
}

test("counts that are none do not cost the answer, and are told once", async () => {
  const counts = [
    { prompt: Number.NaN, completion: 2 },
    { prompt: 7.9, completion: -1 },
    { prompt: null, total: 9 },
    { prompt: "many" },
    5,
  ];
  const before = await session.metrics;
  for (const [index, tokens] of counts.entries()) {
    assert.deepEqual(await extract(`<counts ${index}>`, () => ({ text: JSON.stringify(NAME), tokens })), NAME);
  }
  const after = await session.metrics;
  assert.equal(after.extractPromptTokens - before.extractPromptTokens, 7);
  assert.equal(after.extractCompletionTokens - before.extractCompletionTokens, 2);
  assert.equal(lines.filter((line) => line.startsWith("tokens")).length, 1, lines.join("\n"));
});

test("halves of characters are replaced, wherever they come from", async () => {
  const half = "\ud83d!";
  outcomes.set("<half \ufffd!>", () => ({ text: JSON.stringify({ name: `a${half}` }), model: half }));
  assert.deepEqual(await session.extract(`<half ${half}>`, SCHEMA), { name: "a\ufffd!" });
  outcomes.set("<raw half>", () => `{"name": "${half} \\\\ud83d \u{1f600}"}`);
  assert.deepEqual(await session.extract("<raw half>", SCHEMA), { name: "\ufffd! \\ud83d \u{1f600}" });
  assert.deepEqual(await page.evaluate((text) => [text, text.length], half), ["\ufffd!", 2]);
  assert.equal(await page.evaluate("'\\ud83d!'"), "\ufffd!");
  await page.evaluate("document.body.innerHTML = '<input>'");
  await page.locator("input").fill(half);
  assert.equal(await page.locator("input").inputValue(), "\ufffd!");
});

test("what is said of a client is checked", async () => {
  const generate = () => "";
  const modelName = "test/mine";
  for (const [llmClient, words] of [
    ["test/mine", /options.llmClient must be an object, not "test\/mine"/],
    [null, /options.llmClient must be an object, not null/],
    [{ modelName }, /llmClient.generate must be a function, not undefined/],
    [{ modelName: "", generate }, /llmClient.modelName must be a text that is not empty/],
    [{ modelName: 5, generate }, /llmClient.modelName/],
    [{ modelName, generate, contextWindow: "big" }, /llmClient.contextWindow must be a whole number from 1 on, not "big"/],
    [{ modelName, generate, contextWindow: 0 }, /llmClient.contextWindow/],
    [{ modelName, generate, contextWindow: 1.5 }, /llmClient.contextWindow/],
    [{ modelName, generate, acceptsImages: "no" }, /llmClient.acceptsImages must be true or false, not "no"/],
    [{ modelName, generate, contextwindow: 5 }, /no member "contextwindow" \(did you mean "contextWindow"\?\)/],
  ]) {
    const error = await errorOf(() => new Automator({ env: "LOCAL", llmClient }));
    assert.ok(error instanceof AutomatorInvalidArgumentError, String(error));
    assert.match(error.message, words);
  }
  new Automator({ env: "LOCAL", llmClient: { modelName, generate, cache: new Map(), model: "mine" } });
});
