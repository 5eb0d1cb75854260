// Writes a product's specification as CSV. Every cell has to stand on the page: a value that the model made up ends
// the program instead of going into the file.
//
//   node examples/node/table_to_csv.mjs [ADDRESS MODEL] > lamp.csv
import { Automator } from "../../bindings/node/dist/index.mjs";
import { start } from "./bundled.mjs";

const Rows = {
  type: "array",
  items: {
    type: "object",
    properties: {
      property: { type: "string", description: "The first cell." },
      value: { type: "string", description: "The second cell, as it is written." },
    },
    required: ["property", "value"],
  },
};

/** The specification on a page as CSV with a header line, its lines ended as RFC 4180 wants them. */
export async function run(automator, address) {
  await automator.context.activePage().goto(address);
  const { value, provenance } = await automator.extractWithProvenance("all rows of the specification", Rows);
  for (const [pointer, places] of Object.entries(provenance)) {
    if (places.length === 0) throw new Error(`the value at ${pointer} does not stand on the page`);
  }
  const lines = value.map((row) => `${field(row.property)},${field(row.value)}\r\n`);
  return `property,value\r\n${lines.join("")}`;
}

/** A field of CSV: between quotes when it holds what ends a field or a line. */
function field(text) {
  return /[,"\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

const place = await start();
const automator = new Automator({ env: "LOCAL", model: place.model, verbose: 0 });
try {
  await automator.init();
  process.stdout.write(await run(automator, `${place.site}product/arc-lamp`));
} finally {
  await automator.close();
  place.stop();
}
