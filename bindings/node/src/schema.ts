/**
 * Schemas of the caller: Zod 4, Zod 3, anything of Standard Schema that can write JSON Schema, or a JSON Schema
 * itself. What a model is told is JSON Schema; what the caller gets has gone through the caller's own schema, so
 * that transforms, refinements and defaults hold and the type is true.
 */

import { AutomatorInvalidArgumentError, SchemaValidationError } from "./errors";
import { wordsOf } from "./thrown";
import { caughtMembers, isCatch, refuseImpossible, withoutOptional } from "./zod";

/** Standard Schema, version 1: what Zod, Valibot, ArkType and others have in common. */
export interface StandardSchema<Output = unknown> {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>;
    readonly types?: { readonly input: unknown; readonly output: Output } | undefined;
  };
}

/** What `validate` of a {@link StandardSchema} gives. */
export type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: ReadonlyArray<StandardIssue> };

/** One thing that is wrong with a value. */
export interface StandardIssue {
  readonly message: string;
  readonly path?: ReadonlyArray<PropertyKey | { readonly key: PropertyKey }> | undefined;
}

/** A schema of Zod 3, also before it had Standard Schema. */
export interface Zod3Schema<Output = unknown> {
  readonly _output: Output;
  readonly _def: object;
  safeParseAsync(value: unknown): Promise<{ success: boolean; data?: unknown; error?: unknown }>;
}

/** A JSON Schema in a JSON Schema: an object, or `true` for anything and `false` for nothing. */
type SubSchema = object | boolean;

/**
 * A plain JSON Schema. The known words are listed, so that options are no schema to the compiler; others may be there,
 * too, in a value that has one of these.
 */
export interface JsonSchema {
  readonly $schema?: string | undefined;
  readonly $id?: string | undefined;
  readonly $ref?: string | undefined;
  readonly $comment?: string | undefined;
  readonly $defs?: { readonly [name: string]: SubSchema } | undefined;
  readonly definitions?: { readonly [name: string]: SubSchema } | undefined;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly default?: unknown;
  readonly examples?: unknown;
  readonly deprecated?: boolean | undefined;
  readonly readOnly?: boolean | undefined;
  readonly writeOnly?: boolean | undefined;
  readonly type?: string | readonly string[] | undefined;
  readonly enum?: readonly unknown[] | undefined;
  readonly const?: unknown;
  readonly allOf?: readonly SubSchema[] | undefined;
  readonly anyOf?: readonly SubSchema[] | undefined;
  readonly oneOf?: readonly SubSchema[] | undefined;
  readonly not?: SubSchema | undefined;
  readonly if?: SubSchema | undefined;
  readonly then?: SubSchema | undefined;
  readonly else?: SubSchema | undefined;
  readonly properties?: { readonly [name: string]: SubSchema } | undefined;
  readonly patternProperties?: { readonly [pattern: string]: SubSchema } | undefined;
  readonly additionalProperties?: SubSchema | undefined;
  readonly unevaluatedProperties?: SubSchema | undefined;
  readonly propertyNames?: SubSchema | undefined;
  readonly required?: readonly string[] | undefined;
  readonly dependentRequired?: { readonly [name: string]: readonly string[] } | undefined;
  readonly dependentSchemas?: { readonly [name: string]: SubSchema } | undefined;
  readonly dependencies?: { readonly [name: string]: SubSchema | readonly string[] } | undefined;
  readonly minProperties?: number | undefined;
  readonly maxProperties?: number | undefined;
  readonly items?: SubSchema | readonly SubSchema[] | undefined;
  readonly prefixItems?: readonly SubSchema[] | undefined;
  readonly additionalItems?: SubSchema | undefined;
  readonly unevaluatedItems?: SubSchema | undefined;
  readonly contains?: SubSchema | undefined;
  readonly minContains?: number | undefined;
  readonly maxContains?: number | undefined;
  readonly minItems?: number | undefined;
  readonly maxItems?: number | undefined;
  readonly uniqueItems?: boolean | undefined;
  readonly format?: string | undefined;
  readonly pattern?: string | undefined;
  readonly minLength?: number | undefined;
  readonly maxLength?: number | undefined;
  readonly minimum?: number | undefined;
  readonly maximum?: number | undefined;
  readonly exclusiveMinimum?: number | boolean | undefined;
  readonly exclusiveMaximum?: number | boolean | undefined;
  readonly multipleOf?: number | undefined;
}

/** Everything that is taken as a schema. */
export type Schema = StandardSchema | Zod3Schema | JsonSchema;

/** The type of the values of a schema; `unknown` for a plain JSON Schema. */
export type Infer<S> =
  S extends StandardSchema<infer Output> ? Output : S extends Zod3Schema<infer Output> ? Output : unknown;

/** A schema whose values are objects, or of which that is not known; nothing else. */
export type ObjectSchema<S> = Infer<S> extends readonly unknown[] | string | number | boolean | bigint | null ? never : S;

/** Words that only a JSON Schema has, and no options. */
const KEYWORDS = [
  "$schema",
  "$ref",
  "$defs",
  "type",
  "properties",
  "items",
  "prefixItems",
  "enum",
  "const",
  "anyOf",
  "oneOf",
  "allOf",
  "additionalProperties",
  "patternProperties",
];

/** Words that say nothing about what a value may be. */
const REMARKS = ["$schema", "$id", "$comment", "title", "description", "default", "examples", "~standard"];

/** Whether a value is meant as a schema, and not as options. */
export function isSchema(value: unknown): value is Schema {
  if ((typeof value !== "object" && typeof value !== "function") || value === null) return false;
  return "~standard" in value || "_def" in value || "_zod" in value || KEYWORDS.some((word) => Object.hasOwn(value, word));
}

/** The JSON Schema of a caller's schema, for what goes in: before transforms, with defaults left out. */
export function toJsonSchema(schema: Schema): JsonSchema {
  refuseImpossible(schema);
  const converted = written(withoutOptional(schema) as Schema);
  const says = Object.keys(converted).some((word) => !REMARKS.includes(word));
  if (!says) {
    throw new AutomatorInvalidArgumentError(
      "the schema says nothing about the value that JSON Schema could express (use an object, array, text, number, " +
        "boolean or enum)",
    );
  }
  return converted;
}

function written(schema: Schema): JsonSchema {
  const standard = (schema as Partial<StandardSchema>)["~standard"] as StandardWithJson | undefined;
  try {
    if (standard?.jsonSchema !== undefined) {
      return standard.jsonSchema.input({ target: "draft-07", libraryOptions: ZOD_4 });
    }
    if ("_zod" in schema) return zod4ToJsonSchema(schema);
    if ("_def" in schema) return zod3ToJsonSchema(schema);
  } catch (error) {
    if (error instanceof AutomatorInvalidArgumentError) throw error;
    throw new AutomatorInvalidArgumentError(`the schema cannot be written as JSON Schema: ${wordsOf(error)}`, {
      cause: error,
    });
  }
  if (standard !== undefined) {
    throw new AutomatorInvalidArgumentError(
      `schemas of ${standard.vendor} do not say what their JSON Schema is; pass a JSON Schema instead`,
    );
  }
  return schema as JsonSchema;
}

/** Standard JSON Schema, which Zod has since 4.2. */
interface StandardWithJson {
  readonly vendor: string;
  readonly jsonSchema?: {
    input(options: { target: string; libraryOptions?: Record<string, unknown> }): object;
  };
}

/**
 * How Zod 4 writes. What it cannot express, it takes for anything at all. So does `.catch()`, which has a value for
 * whatever is wrong: the model is told what is wanted, and what comes is for the caller's schema to judge.
 */
const ZOD_4 = {
  unrepresentable: "any",
  override({ zodSchema, jsonSchema }: { zodSchema: unknown; jsonSchema: Record<string, unknown> }): void {
    if (isCatch(zodSchema)) {
      const { default: _, ...inner } = jsonSchema;
      for (const name of Object.keys(jsonSchema)) delete jsonSchema[name];
      jsonSchema["anyOf"] = [inner, {}];
    }
    const caught = caughtMembers(zodSchema);
    const { required } = jsonSchema;
    if (caught.length > 0 && Array.isArray(required)) {
      jsonSchema["required"] = required.filter((name) => !caught.includes(name));
    }
  },
};

/** Zod 4 before it had Standard JSON Schema. */
function zod4ToJsonSchema(schema: Schema): JsonSchema {
  const core = require("zod/v4/core") as {
    toJSONSchema(schema: unknown, options: Record<string, unknown>): JsonSchema;
  };
  return core.toJSONSchema(schema, { target: "draft-7", io: "input", ...ZOD_4 });
}

/** Only for Zod 3: of a schema of Zod 4 this makes an empty one, without a word. */
function zod3ToJsonSchema(schema: Schema): JsonSchema {
  const { ignoreOverride, zodToJsonSchema } = require("zod-to-json-schema") as {
    ignoreOverride: symbol;
    zodToJsonSchema(schema: unknown, options: Record<string, unknown>): JsonSchema;
  };
  const options = { target: "jsonSchema7", pipeStrategy: "input", effectStrategy: "input" };
  const override = (definition: { typeName?: string; innerType?: unknown }): unknown => {
    if (definition.typeName !== "ZodCatch") return ignoreOverride;
    const { $schema: _, ...inner } = zodToJsonSchema(definition.innerType, options);
    return { anyOf: [inner, {}] };
  };
  return zodToJsonSchema(schema, { ...options, override });
}

/** The value as the caller's own schema gives it; errors name the operation. */
export async function validated<S extends Schema>(
  schema: S,
  value: unknown,
  operation: string = "extract",
): Promise<Infer<S>> {
  const standard = (schema as Partial<StandardSchema>)["~standard"];
  if (standard?.validate !== undefined) {
    const result = await judged(operation, () => standard.validate(value));
    if (result.issues !== undefined) throw mismatch(operation, result.issues);
    return result.value as Infer<S>;
  }
  const zod3 = schema as Partial<Zod3Schema>;
  if (typeof zod3.safeParseAsync === "function") {
    const result = await judged(operation, async () => await zod3.safeParseAsync?.(value));
    if (result === undefined) throw mismatch(operation, [{ message: "the schema gives no result" }]);
    if (!result.success) {
      const issues = (result.error as { issues?: StandardIssue[] } | undefined)?.issues;
      throw mismatch(operation, issues ?? [{ message: String(result.error) }]);
    }
    return result.data as Infer<S>;
  }
  return value as Infer<S>;
}

/** What a schema makes of a value; its transforms and refinements are the caller's own, and may throw. */
async function judged<Result>(operation: string, judge: () => Result | Promise<Result>): Promise<Result> {
  try {
    return await judge();
  } catch (error) {
    throw new SchemaValidationError(`${operation}: the schema failed on the value: ${wordsOf(error)}`, {
      operation,
      cause: error,
    });
  }
}

function mismatch(operation: string, issues: ReadonlyArray<StandardIssue>): SchemaValidationError {
  const lines = issues.map((issue) => {
    const pointer = pointerOf(issue);
    return pointer === "" ? issue.message : `${pointer}: ${issue.message}`;
  });
  const pointer = issues[0] === undefined ? "" : pointerOf(issues[0]);
  return new SchemaValidationError(`${operation}: the value does not fit the schema: ${lines.join("; ")}`, {
    operation,
    context: { pointer },
    cause: issues,
  });
}

function pointerOf(issue: StandardIssue): string {
  const steps = (issue.path ?? []).map((step) => (typeof step === "object" ? step.key : step));
  return steps.map((step) => `/${String(step).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
}
