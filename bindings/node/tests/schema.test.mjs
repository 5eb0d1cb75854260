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

for (const [library, Z] of Object.entries({ "Zod 4": z, "Zod 3": z3 })) {
  const lamp = (member) => Z.object({ name: Z.string(), lamps: Z.array(Z.object({ member })) });

  test(`${library}: what no JSON can be is refused by the name of the member`, async () => {
    for (const [member, words] of [
      [Z.date(), /^lamps\[\]\.member of the schema wants a Date, .*z\.coerce\.date\(\)/],
      [Z.date().optional(), /wants a Date/],
      [Z.date().nullable(), /wants a Date/],
      [Z.bigint(), /wants a bigint/],
      [Z.set(Z.string()), /wants a Set/],
      [Z.map(Z.string(), Z.string()), /wants a Map/],
      [Z.union([Z.date(), Z.bigint()]), /wants a Date/],
      [Z.tuple([Z.string(), Z.date()]), /^lamps\[\]\.member\[1\] of the schema/],
      [Z.record(Z.string(), Z.date()), /wants a Date/],
      [Z.lazy(() => Z.date()), /wants a Date/],
      [Z.date().refine(() => true), /wants a Date/],
      [Z.date().transform(String), /wants a Date/],
    ]) {
      const error = await errorOf(() => toJsonSchema(lamp(member)));
      assert.ok(error instanceof AutomatorInvalidArgumentError, String(error));
      assert.match(error.message, words);
    }
    assert.match((await errorOf(() => toJsonSchema(Z.date()))).message, /^the schema wants a Date/);
  });

  test(`${library}: what JSON can become is taken`, () => {
    const node = Z.object({ name: Z.string(), children: Z.array(Z.lazy(() => node)) });
    for (const member of [
      Z.coerce.date(),
      Z.coerce.bigint(),
      Z.union([Z.string(), Z.date()]),
      Z.preprocess((text) => new Date(text), Z.date()),
      Z.string().transform((text) => new Date(text)).pipe(Z.date()),
      Z.date().catch(new Date(0)),
      node,
    ]) {
      toJsonSchema(lamp(member));
    }
  });

  test(`${library}: \`.catch()\` takes what is wrong, and what is missing`, async () => {
    const schema = Z.object({ name: Z.string(), price: Z.number().catch(0) });
    const json = toJsonSchema(schema);
    assert.deepEqual(json.required, ["name"]);
    assert.deepEqual(json.properties.price, { anyOf: [{ type: "number" }, {}] });
    assert.deepEqual(await validated(schema, { name: "Arc", price: "unknown" }), { name: "Arc", price: 0 });
  });

  test(`${library}: the whole is never left out`, () => {
    assert.equal(toJsonSchema(Z.object({ name: Z.string() }).optional()).type, "object");
    assert.equal(toJsonSchema(Z.string().optional().optional()).type, "string");
  });
}
