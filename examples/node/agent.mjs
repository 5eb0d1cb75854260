// Leaves a task of several steps to an agent, watches it, and lets it buy nothing.
//
//   node examples/node/agent.mjs [ADDRESS MODEL]
import { Automator } from "../../bindings/node/dist/index.mjs";
import { start } from "./bundled.mjs";

const TASK = "Press Add to basket. Open the basket. Follow Go to checkout.";

/** Puts a lamp into the basket, and gives what was done. */
export async function run(automator, site) {
  await automator.context.activePage().goto(`${site}product/arc-lamp`);
  const stream = await automator.agent({ stream: true }).execute({
    instruction: TASK,
    maxSteps: 10,
    // What cannot be taken back is asked for here; a purchase is none of this program's business.
    confirm: ({ kind }) => kind !== "purchase",
  });
  for await (const event of stream.fullStream) {
    if (event.type === "tool-call") console.log(`${event.step}. ${event.toolName}: ${event.input.action}`);
  }
  const { success, message, actions } = await stream.result;
  if (!success) throw new Error(message);
  console.log(message);
  return actions;
}

const place = await start();
// Streams of agents may change between versions, so they are asked for.
const automator = new Automator({ env: "LOCAL", model: place.model, experimental: true, verbose: 0 });
try {
  await automator.init();
  await run(automator, place.site);
} finally {
  await automator.close();
  place.stop();
}
