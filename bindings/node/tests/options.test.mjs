// The TypeScript interfaces are written by hand; here they are held against what the core reads. And what no interface
// has is refused wherever options are taken.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { test } from "node:test";

import ts from "typescript";

import { Automator, AutomatorInvalidArgumentError } from "../dist/index.mjs";
import { errorOf, openSession } from "./rig.mjs";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const read = (name) => JSON.parse(readFileSync(here(`../../../interface/${name}.json`), "utf8"));

const files = ["action", "agent-options", "context", "cookies", "locator", "options", "page", "page-options"];
const program = ts.createProgram(
  files.map((name) => here(`../src/${name}.ts`)),
  { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.Node16, moduleResolution: ts.ModuleResolutionKind.Node16, strict: true },
);
const checker = program.getTypeChecker();

/** The members of an interface, those that it inherits included. */
function members(name) {
  for (const file of program.getSourceFiles()) {
    for (const statement of file.statements) {
      if (ts.isInterfaceDeclaration(statement) && statement.name.text === name) {
        return checker.getTypeAtLocation(statement).getProperties().map((property) => property.name).sort();
      }
    }
  }
  throw new Error(`there is no interface ${name}`);
}

const known = (schema) => Object.keys(schema.properties ?? {}).sort();

/** What only this language has: pages go by handle, functions by callback. */
const OWN = {
  AutomatorOptions: ["llmClient", "logger"],
  ExtractOptions: ["page"],
  ActOptions: ["page"],
  ObserveOptions: ["page"],
  AgentConfig: ["tools"],
  AgentExecuteOptions: ["callbacks", "confirm", "page", "signal"],
};

for (const [name, file] of [
  ["AutomatorOptions", "options"],
  ["ActOptions", "act-options"],
  ["ExtractOptions", "extract-options"],
  ["ObserveOptions", "observe-options"],
  ["AgentConfig", "agent-config"],
  ["AgentExecuteOptions", "agent-execute-options"],
  ["PageExtractOptions", "page-extract-options"],
  ["SnapshotOptions", "snapshot-options"],
]) {
  test(`${name} has the members that the core reads`, () => {
    assert.deepEqual(members(name), [...known(read(file)), ...(OWN[name] ?? [])].sort());
  });
}

test("LocalBrowserLaunchOptions has the members that the core reads", () => {
  const { $defs } = read("options");
  assert.deepEqual(members("LocalBrowserLaunchOptions"), known($defs.LocalBrowserLaunchOptions));
});

const calls = read("page-call-options");
for (const name of Object.keys(calls)) {
  // This one is written where it is taken, as it is in no other place.
  if (name === "InitScript") continue;
  test(`${name} has the members that the core reads`, () => {
    assert.deepEqual(members(name), known(calls[name]));
  });
}

const { session, page } = await openSession();
const locator = page.locator("body");
const action = { selector: "body", description: "the page", method: "click" };

/** Every call with options, given one that is misspelt, and what is meant. */
const MISSPELT = {
  "new Automator": [() => new Automator({ env: "LOCAL", cacheDirs: "x" }), "cacheDir"],
  "localBrowserLaunchOptions": [
    () => new Automator({ env: "LOCAL", localBrowserLaunchOptions: { headles: true } }),
    "headless",
  ],
  "viewport": [
    () => new Automator({ env: "LOCAL", localBrowserLaunchOptions: { viewport: { width: 1, height: 1, widths: 1 } } }),
    "width",
  ],
  "automator.close": [() => session.close({ forced: true }), "force"],
  "automator.act": [() => session.act("press", { timeoutMs: 5 }), "timeout"],
  "automator.act with an action": [() => session.act({ ...action, argument: ["x"] }), "arguments"],
  "automator.observe": [() => session.observe("buttons", { selectors: "main" }), "selector"],
  "automator.extract": [() => session.extract({ screenShot: true }), "screenshot"],
  "automator.extract with a schema": [
    () => session.extract("the name", { type: "string" }, { ignoreSelector: [] }),
    "ignoreSelectors",
  ],
  "automator.extractWithProvenance": [() => session.extractWithProvenance("the name", { timeouts: 5 }), "timeout"],
  "automator.agent": [() => session.agent({ executeModel: "a/b" }), "executionModel"],
  "agent.execute": [() => session.agent().execute({ instruction: "press", toolTimeoutMs: 5 }), "toolTimeout"],
  "page.act": [() => page.act("press", { variable: {} }), "variables"],
  "page.observe": [() => page.observe("buttons", { ignoreSelector: [] }), "ignoreSelectors"],
  "page.extract": [() => page.extract({ instruction: "x", modelname: "a/b" }), "modelName"],
  "page.goto": [() => page.goto("about:blank", { timeout: 5 }), "timeoutMs"],
  "page.reload": [() => page.reload({ ignoreCaches: true }), "ignoreCache"],
  "page.goBack": [() => page.goBack({ waituntil: "load" }), "waitUntil"],
  "page.goForward": [() => page.goForward({ waituntil: "load" }), "waitUntil"],
  "page.waitForSelector": [() => page.waitForSelector("body", { timeoutMs: 5 }), "timeout"],
  "page.screenshot": [() => page.screenshot({ fullpage: true }), "fullPage"],
  "page.setViewportSize": [() => page.setViewportSize(10, 10, { deviceScalFactor: 1 }), "deviceScaleFactor"],
  "page.snapshot": [() => page.snapshot({ includeIFrame: true }), "includeIframes"],
  "page.click": [() => page.click(1, 1, { returnXPath: true }), "returnXpath"],
  "page.hover": [() => page.hover(1, 1, { modifier: [] }), "modifiers"],
  "page.tap": [() => page.tap(1, 1, { modifier: [] }), "modifiers"],
  "page.scroll": [() => page.scroll(1, 1, 0, 1, { modifier: [] }), "modifiers"],
  "page.dragAndDrop": [() => page.dragAndDrop(1, 1, 2, 2, { step: 1 }), "steps"],
  "page.type": [() => page.type("x", { withMistake: true }), "withMistakes"],
  "page.keyPress": [() => page.keyPress("a", { delayMs: 1 }), "delay"],
  "page.addInitScript": [() => page.addInitScript({ contents: "1" }), "content"],
  "context.addInitScript": [() => session.context.addInitScript({ pth: "x" }), "path"],
  "context.addCookies": [() => session.context.addCookies([{ name: "a", value: "b", httponly: true }]), "httpOnly"],
  "context.clearCookies": [() => session.context.clearCookies({ domains: "a" }), "domain"],
  "context.setDomainPolicy": [() => session.context.setDomainPolicy({ allowDomains: [] }), "allowedDomains"],
  "locator.click": [() => locator.click({ clickcount: 2 }), "clickCount"],
  "locator.hover": [() => locator.hover({ timeoutMs: 5 }), "timeout"],
  "locator.fill": [() => locator.fill("x", { timeoutMs: 5 }), "timeout"],
  "locator.type": [() => locator.type("x", { delays: 5 }), "delay"],
  "locator.dragTo": [() => locator.dragTo(locator, { step: 5 }), "steps"],
  "locator.sendClickEvent": [() => locator.sendClickEvent({ bubble: true }), "bubbles"],
  "locator.highlight": [() => locator.highlight({ duration: 5 }), "durationMs"],
  "locator.waitFor": [() => locator.waitFor({ timeoutMs: 5 }), "timeout"],
};

for (const [call, [misspelt, meant]] of Object.entries(MISSPELT)) {
  test(`${call} refuses an option that nobody knows, and names the nearest`, async () => {
    const error = await errorOf(misspelt);
    assert.ok(error instanceof AutomatorInvalidArgumentError, `${error.name}: ${error.message}`);
    assert.equal(error.hint, `did you mean "${meant}"?`, error.message);
  });
}

test("options of the wrong kind are refused by what they are", async () => {
  for (const call of [
    () => session.close("now"),
    () => session.act("press", 5),
    () => session.observe("buttons", []),
    () => session.extract("the name", { type: "string" }, "main"),
    () => session.extract(["main"]),
    () => page.act("press", 5),
    () => page.observe("buttons", []),
    () => page.extract([]),
    () => page.goto("about:blank", "load"),
    () => page.type("x", 5),
    () => locator.fill("x", 5),
  ]) {
    const error = await errorOf(call);
    assert.ok(error instanceof AutomatorInvalidArgumentError, `${error.name}: ${error.message}`);
    assert.match(error.message, /must be an object, not/);
  }
});
