// Watches prices. The model is asked once; from then on the remembered extraction reads the product pages of the shop
// without it. A page that is built differently, such as one with the old price beside a new one, is asked about.
//
//   node examples/node/price_watch.mjs [ADDRESS MODEL]
//
// after `cargo xtask build node`, and `npm install` in `bindings/node`. A program of your own imports "automator-browser".
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";

import { Automator } from "../../bindings/node/dist/index.mjs";
import { start } from "./bundled.mjs";

// Your own schemas may be Zod's; a JSON Schema needs no further package.
const Offer = {
  type: "object",
  properties: {
    name: { type: "string", description: "The name of the product." },
    price: { type: "number", description: "What it costs now, in euro." },
  },
  required: ["name", "price"],
};

/** Reads the offers of some item numbers. */
export async function run(automator, site, items) {
  const page = automator.context.activePage();
  const offers = [];
  for (const item of items) {
    await page.goto(`${site}item/${item}`);
    const began = performance.now();
    const instruction = "name and current price of the product";
    const offer = await automator.extract(instruction, Offer, { selector: "main" });
    const time = Math.round(performance.now() - began);
    console.log(`  ${item}: ${offer.name.padEnd(20)} € ${offer.price.toFixed(2).padStart(7)}   ${time} ms`);
    offers.push(offer);
  }
  const metrics = await automator.metrics;
  console.log(`  tokens so far: ${metrics.extractPromptTokens} sent, ${metrics.extractCompletionTokens} received\n`);
  return offers;
}

const place = await start();
// Your own program names a folder that stays, and commits it: then not even its first run needs a model.
const cacheDir = await mkdtemp(path.join(tmpdir(), "price-watch-"));
const automator = new Automator({ env: "LOCAL", model: place.model, cacheDir, verbose: 0 });
try {
  await automator.init();
  console.log("First run, one product:");
  await run(automator, place.site, [501]);
  console.log("Second run, the same and another:");
  await run(automator, place.site, [501, 502]);
} finally {
  await automator.close();
  await rm(cacheDir, { recursive: true });
  place.stop();
}
