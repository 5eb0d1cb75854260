// `cargo xtask bench node`: what the way between JavaScript and Rust costs. Needs the package built as a release.
import { Automator } from "../dist/index.mjs";
import { copies, crossing } from "./crossing.mjs";
import { load } from "./load.mjs";

const CALLS = 10_000;
const LOAD = { calls: 1_000, pages: 20 };

function line(what, figure, isMet) {
  console.log(`${isMet ? "pass" : "FAIL"}  ${what.padEnd(72)} ${figure}`);
}

console.log(`Node ${process.version}\n\nCrossing into Rust and back, the median of ${CALLS} calls (to reach: under 0.2 ms)`);
for (const [what, time] of Object.entries(await crossing(CALLS))) line(what, `${time.toFixed(4)} ms`, time < 0.2);

console.log("\nCopies of the page text in the memory of V8 after extract() (to reach: 1)");
const automator = new Automator({ env: "LOCAL", disableLogBackend: true });
await automator.init();
try {
  const page = automator.context.pages()[0];
  await page.evaluate(() => {
    const paragraph = `<p>${"All of this text is read. ".repeat(40)}`;
    document.body.innerHTML = paragraph.repeat(4_000);
  });
  for (const [name, extract] of [
    ["automator.extract()", () => automator.extract()],
    ["page.extract()", () => page.extract()],
  ]) {
    const { copies: made, megabytes } = await copies(extract);
    line(`${name}, of a text of ${megabytes.toFixed(1)} MB`, made.toFixed(3), made >= 1 && made < 1.1);
  }
} finally {
  await automator.close();
}

console.log(`\n${LOAD.calls} extractions at a time over ${LOAD.pages} pages, the model in another process`);
const { seconds, wrong, delay, thread } = await load(LOAD);
line("extractions that gave what their page holds", `${LOAD.calls - wrong.length} of ${LOAD.calls}`, wrong.length === 0);
for (const problem of wrong.slice(0, 10)) console.log(`      ${problem}`);
const times = `p50 ${delay.p50.toFixed(1)}, p99 ${delay.p99.toFixed(1)}, longest ${delay.max.toFixed(1)} ms`;
line("delay of the event loop (to reach: p99 under 50 ms)", times, delay.p99 < 50);
console.log(`      in ${seconds.toFixed(1)} s`);
if (thread) {
  const [ran, waited] = [thread.ran, thread.waited].map(Math.round);
  console.log(`      JavaScript ran ${ran} ms of them, and waited ${waited} ms for a processor that others had`);
}
