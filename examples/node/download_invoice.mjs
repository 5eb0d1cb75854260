// Downloads the invoice of an order.
//
//   node examples/node/download_invoice.mjs
//   SHOP_EMAIL=… SHOP_PASSWORD=… ORDER=… node examples/node/download_invoice.mjs https://shop.example openai/gpt-4.1-mini
//
// The number of the order is read from ORDER (1001 in the bundled shop). The file goes to the folder in INVOICES, or
// to `invoices`; one of the same name that is there already stays.
import { stat } from "node:fs/promises";
import path from "node:path";

import { Automator } from "../../bindings/node/dist/index.mjs";
import { start } from "./bundled.mjs";

/** How long the invoice may take, in milliseconds. */
const LIMIT = 30_000;

/** Signs in, opens the order and gives the path of its invoice. */
export async function run(automator, site, variables, order) {
  const page = automator.context.activePage();
  await page.goto(`${site}login`);
  for (const instruction of [
    "type %email% into the email field",
    "type %password% into the password field",
    "press the sign in button",
    `open Order ${order}`,
  ]) {
    await act(automator, instruction, variables);
  }

  // Listened for before it begins: nothing that happens meanwhile is missed.
  const saved = new Promise((resolve, reject) => {
    page.once("download", (download) => download.finished().then(resolve, reject));
  });
  saved.catch(() => {});
  await act(automator, "follow Download invoice", variables);
  const file = await within(LIMIT, saved);
  console.log(`\n${file} (${(await stat(file)).size} bytes)`);
  return file;
}

/** What a promise gives, unless that takes too long. */
async function within(limit, promise) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`the invoice did not come within ${limit} ms`)), limit);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Carries out one instruction, or fails with what was in the way. */
async function act(automator, instruction, variables) {
  const done = await automator.act(instruction, { variables });
  if (!done.success) throw new Error(`${instruction}: ${done.message}`);
  console.log(`done: ${instruction}`);
}

const place = await start();
const variables = {
  email: process.env.SHOP_EMAIL ?? place.email,
  password: process.env.SHOP_PASSWORD ?? place.password,
};
const automator = new Automator({
  env: "LOCAL",
  model: place.model,
  verbose: 0,
  localBrowserLaunchOptions: { downloadsPath: path.resolve(process.env.INVOICES ?? "invoices") },
});
try {
  await automator.init();
  await run(automator, place.site, variables, process.env.ORDER ?? "1001");
} finally {
  await automator.close();
  place.stop();
}
