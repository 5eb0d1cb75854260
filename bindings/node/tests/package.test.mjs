// The files that `cargo xtask build node --pack` makes, installed into an empty project: without a registry, without
// a cache, and without scripts that fetch something.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { access, cp, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

import { serve } from "./rig.mjs";

const run = promisify(execFile);
const here = (place) => fileURLToPath(new URL(place, import.meta.url));

/** What both programs do with the class that they have imported. */
const BODY = `
async function main(address) {
  const automator = new Automator({
    env: "LOCAL",
    verbose: 0,
    disableLogBackend: true,
    llmClient: { modelName: "test/scripted", generate: () => ({ text: '{"price": 49}' }) },
  });
  try {
    await automator.init();
    await automator.context.pages()[0].goto(address);
    const { pageText } = await automator.extract({ selector: "main" });
    const offer = schema === undefined ? {} : await automator.extract("the offer", schema);
    console.log(JSON.stringify({ pageText, offer }));
  } finally {
    await automator.close();
  }
}
`;
const IMPORTING = `
import { Automator } from "automator-browser";
import { z } from "zod/v3";
const schema = z.object({ price: z.number(), currency: z.string().default("EUR") });
${BODY}
await main(process.argv[2]);
`;
const REQUIRING = `
const { Automator } = require("automator-browser");
const schema = undefined;
${BODY}
main(process.argv[2]);
`;
const FAILING = `
const { Automator, AutomatorInitError } = require("automator-browser");
try {
  new Automator({ env: "LOCAL" });
} catch (error) {
  console.log(JSON.stringify({ isOurs: error instanceof AutomatorInitError, message: error.message }));
}
`;

/** The packed files: that of the package, and that of this computer's platform. */
let packed;
/** The name of this computer's platform. */
let platform;
const folders = [];

before(async () => {
  const folder = here("../npm");
  const { version } = JSON.parse(await readFile(here("../package.json"), "utf8"));
  const isMusl = process.platform === "linux" && process.report.getReport().header.glibcVersionRuntime === undefined;
  const ending = { linux: isMusl ? "-musl" : "-gnu", win32: "-msvc" }[process.platform] ?? "";
  platform = `${process.platform}-${process.arch}${ending}`;
  const file = (name) => path.join(folder, `${name}-${version}.tgz`);
  packed = { main: file("automator-browser"), platform: file(`automator-browser-${platform}`) };
  for (const name of Object.values(packed)) {
    await access(name).catch(() => assert.fail(`${name} is missing; cargo xtask test node makes it`));
  }
});

after(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true }))));

/** An empty project with these files installed. */
async function project(...files) {
  const folder = await mkdtemp(path.join(tmpdir(), "automator-project-"));
  folders.push(folder);
  await writeFile(path.join(folder, "package.json"), '{ "name": "empty", "private": true }\n');
  await npm(folder, "install", ...files);
  return folder;
}

function npm(folder, command, ...words) {
  const settings = ["--offline", "--no-audit", "--no-fund", "--cache", path.join(folder, "cache")];
  return run("npm", [command, ...settings, ...words], { cwd: folder, timeout: 120_000 });
}

/** What a program says that runs in a project. */
async function outcome(folder, name, source, ...words) {
  await writeFile(path.join(folder, name), source);
  const { stdout } = await run(process.execPath, [name, ...words], { cwd: folder, timeout: 60_000 });
  return JSON.parse(stdout);
}

test("the packed files install offline and run, imported and required", async () => {
  const site = await serve({ "/": "<title>Lamps</title><main><h1>Arc lamp</h1><p>€ 49</p></main>" });
  const folder = await project(packed.main, packed.platform);
  // What was installed can be installed again from the lock file alone.
  await npm(folder, "ci");
  const installed = path.join(folder, "node_modules", "automator-browser");
  const manifest = JSON.parse(await readFile(path.join(installed, "package.json"), "utf8"));
  assert.equal(manifest.scripts, undefined);
  // The first that fits is taken, so the types come first.
  assert.deepEqual(Object.keys(manifest.exports["."].import), ["types", "default"]);
  assert.deepEqual(await readdir(installed).then((names) => names.filter((name) => name === "native")), []);

  // Zod is the program's own. What converts schemas of Zod 3 has come with the package.
  await cp(here("../node_modules/zod"), path.join(folder, "node_modules/zod"), { recursive: true });
  const imported = await outcome(folder, "program.mjs", IMPORTING, site);
  assert.match(imported.pageText, /heading: Arc lamp\n.*€ 49/s);
  assert.deepEqual(imported.offer, { price: 49, currency: "EUR" });
  const required = await outcome(folder, "program.cjs", REQUIRING, site);
  assert.equal(required.pageText, imported.pageText);
});

test("without a native part the error names the platforms that there are, and what to do", async () => {
  const folder = await project(packed.main);
  const missing = await outcome(folder, "program.cjs", FAILING);
  assert.ok(missing.isOurs, missing.message);
  assert.match(missing.message, new RegExp(`the package automator-browser-${platform} .* is not installed`));
  assert.match(missing.message, new RegExp(`packages for (.*, )?${platform}(,| )`));

  // As on a computer for which there is none, and as before the first build.
  const file = path.join(folder, "node_modules/automator-browser/package.json");
  const manifest = JSON.parse(await readFile(file, "utf8"));
  const other = { "automator-browser-plan9-mips": manifest.version };
  await writeFile(file, JSON.stringify({ ...manifest, optionalDependencies: other }));
  const unknown = await outcome(folder, "program.cjs", FAILING);
  assert.equal(unknown.message, `there is no native part for ${platform} (there is one for plan9-mips)`);
  await writeFile(file, JSON.stringify({ ...manifest, optionalDependencies: undefined }));
  assert.match((await outcome(folder, "program.cjs", FAILING)).message, /cargo xtask build node/);
});
