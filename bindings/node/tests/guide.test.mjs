// The TypeScript of each guide compiles as one program, in the order in which it is read.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { test } from "node:test";

import ts from "typescript";

const here = (place) => fileURLToPath(new URL(place, import.meta.url));

for (const name of ["typescript", "agents", "coming-from-stagehand"]) {
  test(`the programs of ${name}.md compile`, () => assert.deepEqual(problemsOf(name), []));
}

/** What the compiler finds wrong with the programs of a guide. */
function problemsOf(name) {
  const guide = readFileSync(here(`../../../docs/guides/${name}.md`), "utf8");
  const source = [...guide.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, program]) => program).join("\n");
  assert.ok(source.includes("new Automator"));
  const file = here("guide.mts");
  const options = {
    strict: true,
    noEmit: true,
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.Node16,
    moduleResolution: ts.ModuleResolutionKind.Node16,
    types: ["node"],
    paths: { "automator-browser": [path.join(here(".."), "dist/index.d.mts")] },
    baseUrl: here(".."),
  };
  const host = ts.createCompilerHost(options);
  const { fileExists, getSourceFile, readFile } = host;
  host.fileExists = (name) => path.resolve(name) === file || fileExists(name);
  host.readFile = (name) => (path.resolve(name) === file ? source : readFile(name));
  host.getSourceFile = (name, language) =>
    path.resolve(name) === file
      ? ts.createSourceFile(name, source, language, true)
      : getSourceFile(name, language);
  const program = ts.createProgram([file], options, host);
  return ts.getPreEmitDiagnostics(program).map((problem) =>
    ts.flattenDiagnosticMessageText(problem.messageText, "\n"),
  );
}
