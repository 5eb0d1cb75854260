// The TypeScript interfaces are written by hand; here they are held against what the core reads.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { test } from "node:test";

import ts from "typescript";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const read = (name) => JSON.parse(readFileSync(here(`../../../interface/${name}.json`), "utf8"));

const files = ["action", "context", "cookies", "locator", "options", "page", "page-options"];
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
const OWN = { AutomatorOptions: ["llmClient", "logger"], ExtractOptions: ["page"], ActOptions: ["page"], ObserveOptions: ["page"] };

for (const [name, file] of [
  ["AutomatorOptions", "options"],
  ["ActOptions", "act-options"],
  ["ExtractOptions", "extract-options"],
  ["ObserveOptions", "observe-options"],
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
  // These two are written where they are taken, as they are in no other place.
  if (name === "InitScript" || name === "ViewportSizeOptions") continue;
  test(`${name} has the members that the core reads`, () => {
    assert.deepEqual(members(name), known(calls[name]));
  });
}
