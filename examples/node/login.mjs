// Signs in with a password that the model never sees.
//
//   node examples/node/login.mjs
//   SHOP_EMAIL=… SHOP_PASSWORD=… node examples/node/login.mjs https://shop.example openai/gpt-4.1-mini
import { Automator } from "../../bindings/node/dist/index.mjs";
import { start } from "./bundled.mjs";

/** Signs in and gives what the account says. */
export async function run(automator, site, email, password) {
  const page = automator.context.activePage();
  await page.goto(`${site}login`);

  // The model is told the names `email` and `password` and what they are for. The values take the place of `%email%`
  // and `%password%` when they are typed; results, logs, history and caches keep the names.
  const variables = { email, password: { value: password, description: "the password of the shop's account" } };
  for (const instruction of [
    "type %email% into the email field",
    "type %password% into the password field",
    "press the sign in button",
  ]) {
    const done = await automator.act(instruction, { variables });
    if (!done.success) throw new Error(`${done.actionDescription}: ${done.message}`);
    console.log(`done: ${done.actionDescription}`);
  }

  // A pressed button is no open account: wait for the words that only the account has.
  const signedIn = page.locator("text=You are signed in as");
  await signedIn.waitFor({ timeout: 10_000 });
  return await signedIn.innerText();
}

const place = await start();
const email = process.env.SHOP_EMAIL ?? place.email;
const password = process.env.SHOP_PASSWORD ?? place.password;
const automator = new Automator({ env: "LOCAL", model: place.model, verbose: 0 });
try {
  await automator.init();
  console.log(`\n${await run(automator, place.site, email, password)}`);
} finally {
  await automator.close();
  place.stop();
}
