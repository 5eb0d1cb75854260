import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { test } from "node:test";

import { z } from "zod";
import { z as z3 } from "zod/v3";

import { AutomatorInvalidArgumentError, SchemaValidationError } from "../dist/index.mjs";
import { errorOf } from "./rig.mjs";

const { isSchema, toJsonSchema, validated } = createRequire(import.meta.url)("../dist/schema.js");

/** The same schema in every library. */
const forms = {
  "Zod 4": z.object({
    name: z.string().describe("the name"),
    price: z.number().min(0).optional(),
    link: z.string().url(),
    tags: z.array(z.enum(["new", "sale"])).default([]),
  }),
  "Zod 3": z3.object({
    name: z3.string().describe("the name"),
    price: z3.number().min(0).optional(),
    link: z3.string().url(),
    tags: z3.array(z3.enum(["new", "sale"])).default([]),
  }),
};

for (const [library, schema] of Object.entries(forms)) {
  test(`${library}: descriptions, bounds, formats and what may be left out are kept`, () => {
    assert.ok(isSchema(schema));
    const json = toJsonSchema(schema);
    assert.equal(json.type, "object");
    assert.equal(json.properties.name.description, "the name");
    assert.equal(json.properties.price.minimum, 0);
    assert.equal(json.properties.link.format, "uri");
    assert.deepEqual(json.properties.tags.items.enum, ["new", "sale"]);
    assert.deepEqual([...json.required].sort(), ["link", "name"]);
  });

  test(`${library}: defaults and refinements hold for the value`, async () => {
    const value = await validated(schema, { name: "Arc", link: "https://a.example/" });
    assert.deepEqual(value.tags, []);
    const error = await errorOf(() => validated(schema, { name: 5, link: "https://a.example/" }));
    assert.ok(error instanceof SchemaValidationError);
    assert.equal(error.context.pointer, "/name");
  });
}

test("transforms are run once the value is here", async () => {
  const schema = z.object({ price: z.string().transform((text) => Number(text)) });
  assert.equal(toJsonSchema(schema).properties.price.type, "string");
  assert.deepEqual(await validated(schema, { price: "49" }), { price: 49 });
});

test("Zod 4 without Standard JSON Schema is converted by its own function", () => {
  const schema = z.object({ a: z.number() });
  const { jsonSchema: _, ...standard } = schema["~standard"];
  const older = { "~standard": standard, _zod: schema._zod, _def: schema._def };
  assert.equal(toJsonSchema(older).properties.a.type, "number");
});

test("a JSON Schema is taken as it is, and options are no schema", async () => {
  const schema = { type: "object", properties: { a: { type: "string" } } };
  assert.equal(toJsonSchema(schema), schema);
  assert.deepEqual(await validated(schema, { a: "x" }), { a: "x" });
  for (const options of [{}, { timeout: 5 }, { selector: "main", page: undefined }, "text", undefined]) {
    assert.equal(isSchema(options), false);
  }
});

test("a schema that says nothing, or cannot say what it is, is refused", async () => {
  const silent = await errorOf(() => toJsonSchema(z.any()));
  assert.ok(silent instanceof AutomatorInvalidArgumentError);
  const foreign = { "~standard": { version: 1, vendor: "other", validate: (value) => ({ value }) } };
  const error = await errorOf(() => toJsonSchema(foreign));
  assert.match(error.message, /schemas of other/);
});
