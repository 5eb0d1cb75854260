// The examples run against the bundled shop and its stand-in for a model, as they would for a person without a key.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

async function output(name, environment = {}) {
  const file = fileURLToPath(new URL(`../../../examples/node/${name}`, import.meta.url));
  // The first one may have to build the shop.
  const options = { timeout: 600_000, env: { ...process.env, ...environment } };
  const { stdout } = await promisify(execFile)(process.execPath, [file], options);
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

test("checkout corrects the postcode and places the order", async () => {
  const lines = await output("checkout.mjs");
  assert.match(lines, /refused: postcode \(.+\)/);
  // The shop starts with one order on its books.
  assert.ok(lines.endsWith("\nOrder 1002:\n  1 × Arc lamp, € 49.00\n"), lines);
});

test("download_invoice saves the file under its name", async () => {
  const folder = await mkdtemp(path.join(tmpdir(), "invoices-"));
  try {
    const lines = await output("download_invoice.mjs", { INVOICES: folder });
    const invoice = await readFile(path.join(folder, "invoice-1001.pdf"));
    assert.ok(invoice.subarray(0, 4).equals(Buffer.from("%PDF")));
    assert.match(lines, new RegExp(`invoice-1001\\.pdf \\(${invoice.length} bytes\\)`));
  } finally {
    await rm(folder, { recursive: true });
  }
});

test("agent fills the basket and says what it does", async () => {
  const lines = await output("agent.mjs");
  assert.match(lines, /^1\. act: Press Add to basket\n2\. act: Open the basket\n3\. act: Follow Go to checkout\n/);
  assert.match(lines, /All of it was done\.\n$/);
});
