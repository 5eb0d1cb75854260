// `env: "REMOTE"` on a real server: sessions, operations beside the browser, and over the socket.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

import { Automator, AutomatorEnvironmentError, AutomatorInitError, RemoteSessionNotFoundError } from "../dist/index.mjs";
import { startPlatform, startShop } from "./platform-server.mjs";
import { errorOf } from "./rig.mjs";

// The first time both are built.
const [platform, shop] = await Promise.all([startPlatform(), startShop()]);

async function open(options = {}) {
  const session = new Automator({
    env: "REMOTE",
    apiKey: platform.apiKey,
    remoteBaseURL: platform.url,
    model: shop.model,
    verbose: 0,
    ...options,
  });
  await session.init();
  return session;
}

test("a session is used in all forms, and says where its answers come from", async () => {
  const session = await open();
  assert.match(session.remoteSessionID, /^\S+$/);
  await session.context.activePage().goto(`${shop.site}item/501`);
  const first = await session.extract("the current price of the product");
  const second = await session.extract("the current price of the product");
  assert.deepEqual([first.cacheStatus, second.cacheStatus], ["MISS", "HIT"]);
  assert.equal(second.extraction, first.extraction);
  const kept = await session.extract("the current price of the product", { serverCache: false });
  assert.equal("cacheStatus" in kept, false);
  const schema = { type: "object", properties: { name: { type: "string" } }, required: ["name"] };
  const product = await session.extract("the name of the product", schema);
  assert.equal(product.name, "Arc lamp");
  assert.equal(product.cacheStatus, "MISS");
  const found = await session.observe("the button that puts the product in the basket");
  assert.ok(Array.isArray(found));
  assert.ok(["HIT", "MISS"].includes(found.cacheStatus), found.cacheStatus);
  assert.equal(Object.keys(found).includes("cacheStatus"), false);
  assert.match((await session.extract()).pageText, /Arc lamp/);
  const { extractPromptTokens } = await session.metrics;
  assert.ok(extractPromptTokens > 0);
  assert.deepEqual((await session.history).map(({ method }) => method), [
    "navigate", "extract", "extract", "extract", "extract", "observe", "extract",
  ]);
  await session.close();
  assert.equal(session.remoteSessionID, undefined);
});

test("a kept session is resumed, and one that has ended is not found", async () => {
  const first = await open({ keepAlive: true });
  const { remoteSessionID } = first;
  await first.context.activePage().goto(shop.site);
  const url = first.context.activePage().url();
  await first.close();
  const second = await open({ keepAlive: false, remoteSessionID });
  assert.equal(second.remoteSessionID, remoteSessionID);
  assert.equal(second.context.activePage().url(), url);
  await second.close();
  const error = await errorOf(() => open({ remoteSessionID }));
  assert.ok(error instanceof RemoteSessionNotFoundError, String(error));
});

test("errors of the server are those of this package", async () => {
  assert.ok((await errorOf(() => open({ apiKey: "amk_wrong" }))) instanceof AutomatorEnvironmentError);
  const nobody = await errorOf(() => open({ remoteBaseURL: "http://127.0.0.1:1" }));
  assert.ok(nobody instanceof AutomatorInitError);
  assert.match(nobody.message, /127\.0\.0\.1:1.*automator serve/);
  const session = await open();
  try {
    await session.context.activePage().goto(shop.site);
    const error = await errorOf(() => session.extract("x", { selector: "//nothing" }));
    assert.equal(error.name, "XPathResolutionError");
    assert.equal((await errorOf(() => session.act(" "))).name, "AutomatorInvalidArgumentError");
  } finally {
    await session.close();
  }
});

test("a download is brought to this machine", async () => {
  const session = await open();
  try {
    const page = session.context.activePage();
    await page.goto(shop.site);
    const saved = new Promise((resolve) => page.once("download", resolve));
    await page.evaluate(() => {
      const link = Object.assign(document.createElement("a"), { href: "data:text/plain,42 euro", download: "bill.txt" });
      link.click();
    });
    const download = await saved;
    const path = await download.finished();
    assert.equal(basename(path), "bill.txt");
    assert.equal(readFileSync(path, "utf8"), "42 euro");
    assert.equal(download.path(), path);
  } finally {
    await session.close();
  }
});

test("a client of one's own answers here", async () => {
  const llmClient = { modelName: "own/model", generate: () => ({ text: '{"extraction":"from here"}' }) };
  const session = await open({ llmClient, model: undefined });
  try {
    await session.context.activePage().goto(shop.site);
    assert.deepEqual(await session.extract("the name"), { extraction: "from here" });
  } finally {
    await session.close();
  }
});

test("the example reads the price in a second session", async () => {
  const file = fileURLToPath(new URL("../../../examples/node/remote.mjs", import.meta.url));
  const env = { ...process.env, REMOTE_API_KEY: platform.apiKey, REMOTE_BASE_URL: platform.url };
  const { stdout } = await promisify(execFile)(process.execPath, [file], { env, timeout: 600_000 });
  assert.match(stdout, /49/);
});
