// Buys a lamp: fills the basket and the form, corrects what the shop does not take, and reads the confirmation.
//
//   node examples/node/checkout.mjs [ADDRESS MODEL]
import { Automator } from "../../bindings/node/dist/index.mjs";
import { start } from "./bundled.mjs";

// Where the lamp goes: the words for a field, and what it shall hold. The postcode is written as in the Netherlands,
// and this shop wants digits only.
const ADDRESS = {
  name: "Mira Jansen",
  email: "mira@lamp-shop.test",
  "street and number": "Keizersgracht 12",
  postcode: "1015 CW",
  city: "Amsterdam",
};

const Lines = {
  type: "array",
  items: {
    type: "object",
    properties: {
      product: { type: "string" },
      amount: { type: "integer" },
      sum: { type: "number", description: "In euro." },
    },
    required: ["product", "amount", "sum"],
  },
};

/** Orders one lamp, and gives the number of the order and its lines. */
export async function run(automator, site) {
  const page = automator.context.activePage();
  await page.goto(`${site}product/arc-lamp`);
  for (const instruction of ["press Add to basket", "open the basket", "follow Go to checkout"]) {
    await act(automator, instruction);
  }

  for (const [field, value] of Object.entries(ADDRESS)) {
    await act(automator, `type %value% into the ${field} field`, { value });
  }
  await act(automator, "choose Netherlands in the country list");
  await act(automator, "choose Express, next working day");
  await act(automator, "tick the box for the terms of sale");
  await act(automator, "press Place order");

  // The shop says at each field what is wrong with it. Whether it did is a fact of the page, so no model is asked.
  const refused = page.locator("[aria-invalid=true]");
  if ((await refused.count()) > 0) {
    const field = await refused.getAttribute("name");
    console.log(`refused: ${field} (${await page.locator(".error").innerText()})`);
    const digits = (await refused.inputValue()).replaceAll(/\D/g, "");
    await act(automator, `type %value% into the ${field} field`, { value: digits });
    await act(automator, "press Place order");
  }

  await page.waitForSelector("#order-number");
  const number = await page.locator("#order-number").innerText();
  const lines = await automator.extract("the lines of the order with product, amount and sum", Lines);
  console.log(`\nOrder ${number}:`);
  for (const line of lines) console.log(`  ${line.amount} × ${line.product}, € ${line.sum.toFixed(2)}`);
  return { number, lines };
}

/** Carries out one instruction, or fails with what was in the way. */
async function act(automator, instruction, variables = {}) {
  const done = await automator.act(instruction, { variables });
  if (!done.success) throw new Error(`${instruction}: ${done.message}`);
  console.log(`done: ${instruction}`);
}

const place = await start();
const automator = new Automator({ env: "LOCAL", model: place.model, verbose: 0 });
try {
  await automator.init();
  await run(automator, place.site);
} finally {
  await automator.close();
  place.stop();
}
