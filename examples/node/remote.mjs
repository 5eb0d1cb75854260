// Reads a price with a browser of a platform, and goes on with the same browser in a second session.
//
//   automator serve                  # in another terminal; it prints the key
//   export REMOTE_API_KEY=amk_…
//   node examples/node/remote.mjs
import { Automator } from "../../bindings/node/dist/index.mjs";
import { start } from "./bundled.mjs";

/** Opens a product in one session, and reads its price in another one with the same browser. */
export async function run(model, site) {
  // The browser runs where the server is, and so do the questions to the model. It outlives this session.
  const first = new Automator({ env: "REMOTE", keepAlive: true, model, verbose: 0 });
  await first.init();
  const { remoteSessionID, remoteSessionURL } = first;
  try {
    await first.context.activePage().goto(`${site}item/501`);
    if (remoteSessionURL !== undefined) console.log(`watch it at ${remoteSessionURL}`);
  } finally {
    await first.close();
  }

  // Another program, on another machine, could do this. `keepAlive: false` ends the session with the close.
  const second = new Automator({ env: "REMOTE", keepAlive: false, remoteSessionID, model, verbose: 0 });
  await second.init();
  try {
    const { extraction } = await second.extract("the current price of the product");
    return extraction;
  } finally {
    await second.close();
  }
}

const place = await start();
try {
  console.log(await run(place.model, place.site));
} finally {
  place.stop();
}
