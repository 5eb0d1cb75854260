import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import vm from "node:vm";

import * as automator from "../dist/index.mjs";
import { errorOf, openOwnSession, openSession } from "./rig.mjs";

const listed = JSON.parse(readFileSync(new URL("../../../interface/errors.json", import.meta.url), "utf8"));

test("every documented error is a class below the one it extends", () => {
  for (const { name, extends: parent } of listed) {
    const Kind = automator[name];
    assert.equal(typeof Kind, "function", name);
    assert.equal(Object.getPrototypeOf(Kind), automator[parent], `${name} extends ${parent}`);
    const error = new Kind("what");
    assert.ok(error instanceof automator.AutomatorError && error instanceof Error);
    assert.deepEqual([error.name, error.code, error.message], [name, name, "what"]);
  }
});

test("no error class is exported that is not documented", () => {
  const exported = Object.keys(automator).filter((name) => name.endsWith("Error") && name !== "AutomatorError");
  assert.deepEqual(exported.sort(), listed.map(({ name }) => name).sort());
});

test("a class of one's own below ours keeps its name apart and its code", () => {
  class Mine extends automator.TimeoutError {}
  assert.equal(new Mine("x").code, "TimeoutError");
});

test("require and import give the same classes", () => {
  const required = createRequire(import.meta.url)("../dist/index.js");
  assert.equal(required.Automator, automator.Automator);
  assert.equal(required.TimeoutError, automator.TimeoutError);
});

test("a wrong option is refused by the constructor, with the nearest name", async () => {
  const error = await errorOf(() => new automator.Automator({ env: "LOCAL", selfheal: true }));
  assert.ok(error instanceof automator.AutomatorInvalidArgumentError);
  assert.match(error.message, /"selfHeal"/);
  assert.equal(error.hint, 'did you mean "selfHeal"?');
  const env = await errorOf(() => new automator.Automator({ env: "MOON" }));
  assert.ok(env instanceof automator.AutomatorEnvironmentError);
  const model = await errorOf(() => new automator.Automator({ env: "LOCAL", model: "nameless" }));
  assert.ok(model instanceof automator.InvalidAISDKModelFormatError);
});

test("options that are undefined are as good as not given, and functions are refused", async () => {
  new automator.Automator({ env: "LOCAL", nothing: undefined, logger: undefined });
  const error = await errorOf(() => new automator.Automator({ env: "LOCAL", systemPrompt: () => "x" }));
  assert.ok(error instanceof automator.AutomatorInvalidArgumentError);
  assert.match(error.message, /systemPrompt/);
});

test("calls before init say so", async () => {
  const session = new automator.Automator({ env: "LOCAL" });
  for (const call of [
    () => session.act("press"),
    () => session.observe(),
    () => session.extract(),
    () => session.extractWithProvenance("a"),
    () => session.connectURL(),
  ]) {
    assert.ok((await errorOf(call)) instanceof automator.AutomatorNotInitializedError);
  }
});

test("there are no pages before init and after close, and new ones after another init", async () => {
  const { session, page } = await openOwnSession();
  await session.init();
  assert.equal(session.context.pages()[0], page, "a session that is open stays as it is");
  await session.close();
  assert.equal(session.context, null);
  assert.ok((await errorOf(() => page.title())) instanceof automator.AutomatorError);
  await session.init();
  assert.notEqual(session.context.pages()[0], page);
  assert.equal(await session.context.pages()[0].evaluate("1 + 1"), 2);
  await session.close();
  assert.equal(new automator.Automator({ env: "LOCAL" }).context, null);
});

test("once the browser is lost, calls and pages say so until another init", async () => {
  const { session } = await openOwnSession();
  await session.context.sendCDP("Browser.close").catch(() => undefined);
  const isLost = () => errorOf(() => session.context).then(() => true, () => false);
  // The end of the connection is on its way.
  for (let turn = 0; turn < 500 && !(await isLost()); turn += 1) await new Promise((resolve) => setTimeout(resolve, 10));
  for (const call of [() => session.extract(), () => session.context]) {
    const error = await errorOf(call);
    assert.ok(error instanceof automator.AutomatorNotInitializedError, `${error.name}: ${error.message}`);
  }
  await session.init();
  assert.equal(session.context.pages().length, 1);
});

test("the names that later operations need are there", () => {
  for (const name of ["AgentAbortError", "ExperimentalNotConfiguredError"]) {
    const error = new automator[name]("why", { cause: new Error("because") });
    assert.ok(error instanceof automator.AutomatorError);
    assert.deepEqual([error.name, error.code, error.cause.message], [name, name, "because"]);
  }
});

test("a missing key of the remote platform is named", async () => {
  const session = new automator.Automator({ env: "REMOTE" });
  const error = await errorOf(() => session.init());
  assert.ok(error instanceof automator.MissingEnvironmentVariableError, error.name);
  assert.match(error.message, /REMOTE_API_KEY/);
});

test("errors are ours in a realm of its own, too, as test runners make them", async () => {
  const context = vm.createContext({ process, Buffer, setImmediate, URL });
  const path = fileURLToPath(new URL("../dist/", import.meta.url));
  const loaded = new Map();
  /** Loads the package as Jest does: its JavaScript in the other realm, the native half by the one that there is. */
  const load = (file) => {
    if (loaded.has(file)) return loaded.get(file).exports;
    const module = { exports: {} };
    loaded.set(file, module);
    const require = createRequire(file);
    const wrapper = vm.runInContext(`(function (module, exports, require, __dirname) {${readFileSync(file)}\n})`, context);
    const inside = (name) => (name.startsWith("./") ? load(require.resolve(name)) : require(name));
    wrapper(module, module.exports, Object.assign(inside, { resolve: require.resolve }), path);
    return module.exports;
  };
  const there = load(`${path}index.js`);
  assert.notEqual(there.AutomatorError, automator.AutomatorError);
  const wrong = await errorOf(() => new there.Automator({ env: "MOON" }));
  assert.ok(wrong instanceof there.AutomatorEnvironmentError, String(wrong));
  const early = await errorOf(() => new there.Automator({ env: "LOCAL" }).extract());
  assert.ok(early instanceof there.AutomatorNotInitializedError, String(early));
});

test("errors name methods and options as they are called here", async () => {
  const { session, page } = await openSession();
  const missing = page.locator("#none");
  for (const [call, operation] of [
    [() => missing.innerHtml(), "innerHtml"],
    [() => missing.type("x", { timeout: 100 }), "type"],
    [() => page.waitForSelector("#none", { timeout: 100 }), "waitForSelector"],
    [() => page.sendCDP("No.such"), "sendCDP"],
    [() => session.extract({ selector: "#none" }), "extract"],
    [() => session.context.addCookies([{ name: "a", value: "b" }]), "addCookies"],
  ]) {
    const error = await errorOf(call);
    assert.equal(error.operation, operation, error.message);
    assert.ok(error.message.startsWith(`${operation}: `), error.message);
  }
  const unsaid = await errorOf(() => session.extract("", { type: "string" }));
  assert.equal(unsaid.hint, "say what to extract, or call extract() without an instruction");
  await page.close();
  const pageless = await errorOf(() => session.extract());
  assert.match(pageless.message, /open one with context\.newPage\(\)/);
});

test("every hint of the core that names a method of its own is known", () => {
  const { hintText } = createRequire(import.meta.url)("../dist/core-names.js");
  const folder = new URL("../../../crates/automator/src/", import.meta.url);
  const files = readdirSync(folder, { recursive: true }).filter((name) => name.endsWith(".rs"));
  assert.ok(files.length > 30);
  for (const file of files) {
    const source = readFileSync(new URL(file, folder), "utf8");
    for (const [, hint] of source.matchAll(/\.hint\(\s*"([^"]*)"/g)) {
      if (/[a-z]_[a-z]/.test(hint)) assert.notEqual(hintText(hint), hint, `${file}: ${hint}`);
    }
  }
});
