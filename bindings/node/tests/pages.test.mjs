import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

import {
  AutomatorEvalError,
  AutomatorInvalidArgumentError,
  CookieValidationError,
  NavigationError,
} from "../dist/index.mjs";
import { errorOf, openOwnSession, serve } from "./rig.mjs";

const site = await serve({
  "/": `<title>Start</title><h1>Start</h1><a id=out target=_blank href="/next">next</a>
    <input id=text><input id=file type=file multiple><select id=size><option>S<option>L</select>`,
  "/next": "<title>Next</title>",
});
// A browser that is joined keeps its own way with downloads.
const { session, page } = await openOwnSession();

test("there is one object a page", async () => {
  assert.equal(session.context.pages()[0], page);
  const second = await session.context.newPage();
  assert.equal(session.context.activePage(), second);
  assert.equal(session.context.pages().at(-1), second);
  session.context.setActivePage(page);
  assert.equal(session.context.activePage(), page);
  await second.close();
  assert.ok(second.isClosed());
});

test("a response tells what the server answered", async () => {
  const response = await page.goto(`${site}/`);
  assert.deepEqual([response.status(), response.ok(), response.url()], [200, true, `${site}/`]);
  assert.equal(await response.headerValue("Content-Type"), "text/html; charset=utf-8");
  assert.ok(Buffer.isBuffer(await response.body()));
  assert.equal(response.frame().url(), `${site}/`);
  assert.equal((await page.goto(`${site}/gone`)).status(), 404);
  assert.ok((await errorOf(() => page.goto("http://127.0.0.1:1/"))) instanceof NavigationError);
});

test("functions run in the page with their argument", async () => {
  await page.goto(`${site}/`);
  assert.equal(await page.evaluate(([a, b]) => a + b, [1, 2]), 3);
  assert.equal(await page.evaluate("document.title"), "Start");
  const error = await errorOf(() => page.evaluate(() => missing.thing));
  assert.ok(error instanceof AutomatorEvalError);
  assert.match(error.message, /missing is not defined/);
});

test("what a listener was promised before a call, it gets from that call", async () => {
  await page.goto(`${site}/`);
  const texts = [];
  page.on("console", (message) => texts.push([message.type(), message.text(), message.page() === page]));
  const heard = new Promise((resolve) => page.once("console", resolve));
  await page.evaluate("console.warn('careful', 1)");
  await heard;
  assert.deepEqual(texts, [["warning", "careful 1", true]]);
  const popup = new Promise((resolve) => page.once("popup", resolve));
  await page.locator("#out").click();
  const opened = await popup;
  assert.equal(session.context.pages().at(-1), opened);
  await opened.close();
  assert.throws(() => page.on("noise", () => {}), AutomatorInvalidArgumentError);
});

test("uncaught errors and downloads are told", async () => {
  await page.goto(`${site}/`);
  const thrown = new Promise((resolve) => page.once("pageerror", resolve));
  await page.evaluate("setTimeout(() => { throw new Error('lost') })");
  const error = await thrown;
  assert.match(error.message, /lost/);
  assert.ok(error.timestamp > 0 && typeof error.location.lineNumber === "number");
  const saved = new Promise((resolve) => page.once("download", resolve));
  await page.evaluate(() => {
    const link = Object.assign(document.createElement("a"), { href: "data:text/plain,42 euro", download: "bill.txt" });
    link.click();
  });
  const download = await saved;
  assert.equal(download.suggestedFilename(), "bill.txt");
  assert.equal(readFileSync(await download.finished(), "utf8"), "42 euro");
  assert.equal(download.state(), "completed");
  assert.equal(session.context.downloads().at(-1).path(), download.path());
});

test("elements are filled, chosen and given files", async () => {
  await page.goto(`${site}/`);
  await page.locator("#text").fill("words");
  assert.equal(await page.locator("#text").inputValue(), "words");
  assert.deepEqual(await page.locator("#size").selectOption("L"), ["L"]);
  await page.locator("#file").setInputFiles([
    { name: "a.csv", mimeType: "text/csv", buffer: Buffer.from("x,y") },
    { name: "b.txt", buffer: "plain" },
  ]);
  const files = await page.evaluate(async () =>
    Promise.all([...document.querySelector("#file").files].map(async (file) => [file.name, await file.text()])),
  );
  assert.deepEqual(files, [
    ["a.csv", "x,y"],
    ["b.txt", "plain"],
  ]);
  const error = await errorOf(() => page.locator("#text").click({ clickcount: 2 }));
  assert.match(error.message, /did you mean "clickCount"/);
});

test("a file chooser gets files", async () => {
  await page.goto(`${site}/`);
  const chooser = new Promise((resolve) => page.once("filechooser", resolve));
  await page.locator("#file").click();
  const opened = await chooser;
  assert.equal(opened.isMultiple(), true);
  await opened.setFiles(fileURLToPath(import.meta.url));
  assert.equal(await page.evaluate("document.querySelector('#file').files[0].name"), "pages.test.mjs");
});

test("a snapshot has the paths and addresses of its ids, and leaves frames out when it is told to", async () => {
  await page.goto(`${site}/`);
  await page.evaluate(() => document.body.append(Object.assign(document.createElement("iframe"), { srcdoc: "<p>in" })));
  const { formattedTree, xpathMap, urlMap } = await page.snapshot();
  const [, id] = /\[(\d+-\d+)\] link: next/.exec(formattedTree);
  assert.equal(urlMap[id], `${site}/next`);
  assert.equal(await page.locator(`xpath=${xpathMap[id]}`).textContent(), "next");
  assert.match(formattedTree, /^ +in$/m);
  assert.doesNotMatch((await page.snapshot({ includeIframes: false })).formattedTree, /^ +in$/m);
});

test("text is typed with mistakes that are taken back, and a wrong option is refused", async () => {
  await page.goto(`${site}/`);
  const text = "The quick brown fox jumps over the lazy dog, twice and once more";
  await page.evaluate(() => {
    window.keys = [];
    document.querySelector("#text").addEventListener("keydown", (event) => window.keys.push(event.key));
  });
  await page.locator("#text").focus();
  await page.type(text, { withMistakes: true });
  assert.equal(await page.locator("#text").inputValue(), text);
  const keys = await page.evaluate("window.keys");
  const takenBack = keys.filter((key) => key === "Backspace").length;
  assert.ok(takenBack > 0, "some mistakes");
  assert.equal(keys.filter((key) => key.length === 1).length, text.length + takenBack);
  await page.keyPress("Control+A", { delay: 1 });
  await page.type("plain");
  assert.equal(await page.locator("#text").inputValue(), "plain");
});

test("cookies go by filters with regular expressions", async () => {
  const { context } = session;
  await context.addCookies(["One", "Two"].map((name) => ({ name, value: "1", url: site })));
  await context.clearCookies({ name: /^one$/i });
  assert.deepEqual((await context.cookies(site)).map((cookie) => cookie.name), ["Two"]);
  const error = await errorOf(() => context.addCookies([{ name: "a", value: "b" }]));
  assert.ok(error instanceof CookieValidationError, error.name);
});

test("scripts run before those of the page", async () => {
  await page.addInitScript((seed) => {
    window.seed = seed.number;
  }, { number: 7 });
  await page.goto(`${site}/next`);
  assert.equal(await page.evaluate("window.seed"), 7);
});

test("pictures are buffers, and contradictions are refused", async () => {
  const picture = await page.screenshot();
  assert.equal(picture.subarray(1, 4).toString(), "PNG");
  const error = await errorOf(() => page.screenshot({ quality: 50 }));
  assert.ok(error instanceof AutomatorInvalidArgumentError);
});
