// Many extractions at a time: is one lost or mixed up with another, and does the program stay able to do other things?
import { fork } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { fileURLToPath } from "node:url";

import { Automator } from "../dist/index.mjs";
import { ARTICLES, priceOf } from "./world.mjs";

const schema = {
  type: "object",
  properties: { shop: { type: "string" }, price: { type: "string" } },
  required: ["shop", "price"],
};

/**
 * Runs `calls` extractions over `pages` pages, all at the same time. Gives how long it took in seconds, what was wrong
 * with each call that did not give what its page holds, and in milliseconds the delay of the event loop and what the
 * thread of JavaScript did.
 */
export async function load({ calls, pages }) {
  const world = fork(fileURLToPath(new URL("world.mjs", import.meta.url)));
  const [address] = await once(world, "message");
  const automator = new Automator({
    env: "LOCAL",
    verbose: 0,
    disableLogBackend: true,
    model: { modelName: "openai/scripted", apiKey: "none", baseURL: address, openaiEndpointFormat: "chat" },
  });
  try {
    await automator.init();
    const tabs = [];
    for (let page = 0; page < pages; page += 1) {
      const tab = await automator.context.newPage();
      await tab.goto(`${address}/page/${page}`);
      tabs.push(tab);
    }
    // One before, so that what is made once is not part of the measurement.
    await extraction(automator, tabs, 0);
    const delay = monitorEventLoopDelay({ resolution: 1 });
    delay.enable();
    const [began, before] = [performance.now(), thread()];
    const outcomes = await Promise.all(Array.from({ length: calls }, (_, call) => extraction(automator, tabs, call)));
    const seconds = (performance.now() - began) / 1_000;
    const after = thread();
    delay.disable();
    const milliseconds = (nanoseconds) => nanoseconds / 1e6;
    return {
      seconds,
      wrong: outcomes.filter((outcome) => outcome !== null),
      delay: {
        p50: milliseconds(delay.percentile(50)),
        p99: milliseconds(delay.percentile(99)),
        max: milliseconds(delay.max),
      },
      thread: before && after && { ran: after.ran - before.ran, waited: after.waited - before.waited },
    };
  } finally {
    await automator.close();
    world.disconnect();
  }
}

/**
 * How long the thread of JavaScript has run, and waited for a processor that others had, in milliseconds: on a busy
 * machine the event loop is late because of others. Null where the system does not tell.
 */
function thread() {
  try {
    const [ran, waited] = readFileSync(`/proc/self/task/${process.pid}/schedstat`, "utf8").split(" ").map(Number);
    return { ran: ran / 1e6, waited: waited / 1e6 };
  } catch {
    return null;
  }
}

/** One extraction: null when it gave what the page holds, else what was wrong. */
async function extraction(automator, tabs, call) {
  const page = call % tabs.length;
  const article = Math.floor(call / tabs.length) % ARTICLES;
  const wanted = { shop: `Shop ${page}`, price: priceOf(page, article) };
  try {
    const options = { page: tabs[page], timeout: 0 };
    const given = await automator.extract(`the price of article number ${article}`, schema, options);
    if (given.shop === wanted.shop && given.price === wanted.price) return null;
    return `call ${call}: ${JSON.stringify(given)} instead of ${JSON.stringify(wanted)}`;
  } catch (error) {
    return `call ${call}: ${error}`;
  }
}
