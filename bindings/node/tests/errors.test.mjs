import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { test } from "node:test";

import * as automator from "../dist/index.mjs";
import { errorOf } from "./rig.mjs";

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
    () => session.context,
    () => session.connectURL(),
  ]) {
    assert.ok((await errorOf(call)) instanceof automator.AutomatorNotInitializedError);
  }
});

test("a missing key of the remote platform is named", async () => {
  const session = new automator.Automator({ env: "REMOTE" });
  const error = await errorOf(() => session.init());
  assert.ok(error instanceof automator.MissingEnvironmentVariableError, error.name);
  assert.match(error.message, /REMOTE_API_KEY/);
});
