// What it costs to cross from JavaScript into Rust and back, without the browser.
import { PerformanceObserver } from "node:perf_hooks";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

import { Automator } from "../dist/index.mjs";

/** The median time of `calls` calls in milliseconds, one after the other. */
async function median(calls, call) {
  for (let warming = 0; warming < 500; warming += 1) await call();
  const times = [];
  for (let count = 0; count < calls; count += 1) {
    const began = performance.now();
    await call();
    times.push(performance.now() - began);
  }
  return times.sort((a, b) => a - b)[Math.floor(calls / 2)];
}

/** The median times of small calls on a session that was never opened: nothing but the way there and back. */
export async function crossing(calls) {
  const automator = new Automator({ env: "LOCAL", disableLogBackend: true });
  return {
    "options there, nothing back: close({ force: false })": await median(calls, () => automator.close({ force: false })),
    "nothing there, 25 numbers back: metrics": await median(calls, () => automator.metrics),
    "an error back: extract() before init()": await median(calls, () => automator.extract().catch(() => undefined)),
  };
}

/**
 * How often the text of a page is in the memory of V8 after it has crossed. The heap is looked at before and after one
 * `extract()`, and no garbage may have been collected in between: then what it has grown by is every copy that was
 * made, also one that nobody holds any more. Rust's own text is outside of it: it is handed over as it is, and N-API
 * copies it into the string that the program gets.
 */
export async function copies(extract) {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc");
  let collections = 0;
  const observer = new PerformanceObserver((list) => { collections += list.getEntries().length; });
  observer.observe({ entryTypes: ["gc"] });
  try {
    for (let attempt = 0; attempt < 5; attempt += 1) {
      collect();
      await new Promise((resolve) => setTimeout(resolve, 20));
      collections = 0;
      const before = process.memoryUsage().heapUsed;
      const { pageText } = await extract();
      const grown = process.memoryUsage().heapUsed - before;
      // The observer is told of collections in a later turn.
      await new Promise((resolve) => setTimeout(resolve, 20));
      if (collections === 0) return { copies: grown / pageText.length, megabytes: pageText.length / 1e6 };
    }
  } finally {
    observer.disconnect();
  }
  throw new Error("garbage was collected during each of five extractions");
}
