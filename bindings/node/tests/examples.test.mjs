// The examples run against the bundled shop and its stand-in for a model, as they would for a person without a key.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

async function output(name) {
  const file = fileURLToPath(new URL(`../../../examples/node/${name}`, import.meta.url));
  // The first one may have to build the shop.
  const { stdout } = await promisify(execFile)(process.execPath, [file], { timeout: 600_000 });
  return stdout;
}

test("price_watch asks the model once for pages of one kind", async () => {
  const lines = await output("price_watch.mjs");
  const sent = [...lines.matchAll(/tokens so far: (\d+) sent/g)].map(([, tokens]) => Number(tokens));
  assert.equal(sent.length, 2);
  assert.ok(sent[0] > 0, lines);
  assert.match(lines, /€ +\d+\.\d\d/);
});

test("table_to_csv writes what stands on the page", async () => {
  const csv = await output("table_to_csv.mjs");
  assert.match(csv, /^property,value\r\n(.+,.+\r\n)+$/);
});

test("login signs in", async () => {
  assert.match(await output("login.mjs"), /You are signed in as/);
});
