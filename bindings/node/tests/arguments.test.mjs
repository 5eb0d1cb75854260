// Arguments of the wrong kind are refused by name, before anything is done.
import assert from "node:assert/strict";
import { test } from "node:test";

import { z } from "zod";
import { z as z3 } from "zod/v3";

import { Automator, AutomatorInvalidArgumentError, PageNotFoundError, SchemaValidationError } from "../dist/index.mjs";
import { errorOf, openSession, reply, serve } from "./rig.mjs";

const site = await serve({ "/": "<h1>Lamps</h1><input type=checkbox><input type=file multiple>" });
const { session, page } = await openSession(() => reply({ price: "49" }));
const response = await page.goto(site);
const box = page.locator("[type=checkbox]");
const files = page.locator("[type=file]");
const payload = { name: "a.txt", buffer: "a" };
const closed = new Error("Target page, context or browser has been closed");

/** Each call, and what must be said of it. */
const WRONG = {
  "new Automator of a text": [() => new Automator("LOCAL"), /^options must be an object, not "LOCAL"$/],
  "new Automator of a list": [() => new Automator([]), /^options must be an object, not a list$/],
  "new Automator of a number": [() => new Automator(5), /^options must be an object, not 5$/],
  "new Automator of a pattern": [() => new Automator(/x/), /^options must be an object, not a RegExp$/],
  "screenshot of a path": [() => page.screenshot("x.png"), /^options must be an object, not "x.png"$/],
  "screenshot with a mask that is no list": [() => page.screenshot({ mask: "h1" }), /^options.mask must be a list, not "h1"$/],
  "screenshot with a mask of numbers": [() => page.screenshot({ mask: [5] }), /mask/],
  "extract of a page": [() => session.extract(page), /options must be an object, not a Page/],
  "close of a date": [() => session.close(new Date()), /options must be an object, not a Date/],
  "headerValue of a number": [() => response.headerValue(5), /^headerValue: the name must be a text, not 5$/],
  "headerValues of nothing": [() => response.headerValues(), /^headerValues: the name must be a text, not undefined$/],
  "setExtraHTTPHeaders of a text": [() => page.setExtraHTTPHeaders("a: b"), /^headers must be an object, not "a: b"$/],
  "clearCookies of a pattern": [() => session.context.clearCookies(/re/), /^filter must be an object, not a RegExp$/],
  "clearCookies of a number": [() => session.context.clearCookies(5), /^filter must be an object, not 5$/],
  "clearCookies that looks ahead": [
    () => session.context.clearCookies({ name: /a(?!b)/ }),
    /\/a\(\?!b\)\/ looks ahead or behind, which patterns here cannot do/,
  ],
  "setChecked of a text": [() => box.setChecked("true"), /^setChecked: the state must be true or false, not "true"$/],
  "setChecked of nothing": [() => box.setChecked(), /^setChecked: the state must be true or false, not undefined$/],
  "setInputFiles of a number": [() => files.setInputFiles(5), /setInputFiles takes paths and files, not 5/],
  "setInputFiles without a name": [() => files.setInputFiles({ buffer: "a" }), /the name of a file must be a text, not undefined/],
  "setInputFiles with a wrong type": [() => files.setInputFiles({ ...payload, mimeType: 5 }), /the mimeType of a file must be a text, not 5/],
  "setInputFiles with a wrong time": [
    () => files.setInputFiles({ ...payload, lastModified: "now" }),
    /the lastModified of a file must be a number, not "now"/,
  ],
  "setInputFiles with a wrong buffer": [() => files.setInputFiles({ ...payload, buffer: 5 }), /the buffer of a file must be bytes or a text/],
  "setInputFiles with a path that is not there": [
    () => files.setInputFiles([payload, "/nowhere/at/all"]),
    /^setInputFiles: the file cannot be read: ENOENT.*\/nowhere\/at\/all/,
  ],
  "a page that is a text": [() => session.extract({ page: "main" }), /^options.page must be a page.*not "main"$/],
  "a page that is an object": [() => session.extract({ page: {} }), /^options.page must be a page.*not an object$/],
  "a page whose context is none": [() => session.extract({ page: { context: () => null } }), /^options.page must be a page/],
  "a page whose session is none": [() => session.extract({ page: { createCDPSession: () => ({}) } }), /^options.page must be a page/],
  "a page whose session says nothing": [
    () => session.extract({ page: { createCDPSession: () => ({ send: () => undefined }) } }),
    /^options.page must be a page/,
  ],
};

const object = z.object({ price: z.string() });

/** Calls as version 2 and other libraries have them, and what is meant. */
const EARLIER = {
  "act({ action })": [() => page.act({ action: "press" }), 'write act("…", options)'],
  "act({ instruction })": [() => session.act({ instruction: "press" }), 'write act("…", options)'],
  "observe({ instruction })": [() => session.observe({ instruction: "buttons" }), 'write observe("…", options)'],
  "page.observe({ instruction })": [() => page.observe({ instruction: "buttons" }), 'write observe("…", options)'],
  "extract({ instruction, schema })": [
    () => session.extract({ instruction: "the price", schema: object }),
    'write extract("…", schema, options)',
  ],
  "extract(instruction, { schema })": [
    () => session.extract("the price", { schema: object }),
    'write extract("…", schema, options)',
  ],
  "extract with members": [() => session.extract("the price", { price: z.string() }), "write z.object({ … })"],
  "extract with a member called type": [() => session.extract("it", { type: z3.string() }), "write z.object({ … })"],
  "extractWithProvenance with members": [
    () => session.extractWithProvenance("the price", { price: z.string() }),
    "write z.object({ … })",
  ],
  "page.extract with members": [
    () => page.extract({ instruction: "the price", schema: { price: z.string() } }),
    "write z.object({ … })",
  ],
  "page.extract(instruction, schema)": [
    () => page.extract("the price", object),
    'write page.extract({ instruction: "…", schema }), or automator.extract("…", schema)',
  ],
};

for (const [what, [call, hint]] of Object.entries(EARLIER)) {
  test(`${what} is refused with what is meant`, async () => {
    const error = await errorOf(call);
    assert.ok(error instanceof AutomatorInvalidArgumentError, `${error.name}: ${error.message}`);
    assert.equal(error.hint, hint);
    assert.ok(error.message.endsWith(`(${hint})`), error.message);
  });
}

for (const [what, [call, words]] of Object.entries(WRONG)) {
  test(`${what} is refused`, async () => {
    const error = await errorOf(call);
    assert.ok(error instanceof AutomatorInvalidArgumentError, `${error.name}: ${error.message}`);
    assert.match(error.message, words);
  });
}

for (const [library, foreign] of Object.entries({
  Playwright: { url: () => "", context: () => ({ newCDPSession: () => Promise.reject(closed) }) },
  Puppeteer: { url: () => "", createCDPSession: () => Promise.reject(closed) },
})) {
  test(`a closed page of ${library} is not found, for the reason that it gives`, async () => {
    const error = await errorOf(() => session.extract({ page: foreign }));
    assert.ok(error instanceof PageNotFoundError, `${error.name}: ${error.message}`);
    assert.equal(error.cause, closed);
  });
}

for (const [library, { object, string }] of Object.entries({ "Zod 4": z, "Zod 3": z3 })) {
  test(`a transform of ${library} that throws fails the validation, and is the cause`, async () => {
    const reason = new TypeError("no such coin");
    const schema = object({ price: string().transform(() => { throw reason; }) });
    const error = await errorOf(() => session.extract("the price", schema));
    assert.ok(error instanceof SchemaValidationError, `${error.name}: ${error.message}`);
    assert.equal(error.cause, reason);
    assert.match(error.message, /no such coin/);
  });
}

test("one match is counted as one, and none as none", async () => {
  const inputs = page.locator("input");
  assert.deepEqual(
    [await inputs.count(), await inputs.first().count(), await inputs.nth(1).count(), await inputs.nth(2).count()],
    [2, 1, 1, 0],
  );
});
