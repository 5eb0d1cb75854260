/** Tools of the user's own, which agents call. */

import type { AgentTool } from "./agent-options";
import { lasting } from "./callback";
import { AutomatorInvalidArgumentError } from "./errors";
import { kindOf, optionsObject, text, valueText } from "./json";
import type { NativeToolTraits } from "./native";
import { isSchema, type JsonSchema, type Schema, toJsonSchema, validated } from "./schema";
import { memberOf, wordsOf } from "./thrown";

/** Tools as the native half takes them. */
export interface NativeTools {
  traits: NativeToolTraits[];
  /** Null when there are none. */
  calling: ((request: string) => Promise<string>) | null;
}

interface Known {
  tool: AgentTool;
  schema: Schema | undefined;
}

/** A call as `agent.rs` tells of it, and of its end when nobody waits for it any more. */
interface Request {
  id: number;
  tool: string;
  input: unknown;
  isOver?: true;
}

/**
 * Tools, once they are checked.
 *
 * @throws AutomatorInvalidArgumentError that names the tool.
 */
export function nativeTools(tools: unknown): NativeTools {
  const known = new Map<string, Known>();
  const traits: NativeToolTraits[] = [];
  for (const [name, given] of Object.entries(optionsObject("config.tools", tools))) {
    const what = `config.tools.${name}`;
    const { execute, description, inputSchema, parameters } = toolObject(what, given);
    if (typeof execute !== "function") {
      throw new AutomatorInvalidArgumentError(`${what}.execute must be a function, not ${kindOf(execute)}`);
    }
    const { schema, jsonSchema } = schemaOf(what, inputSchema ?? parameters ?? undefined);
    known.set(name, { tool: given as AgentTool, schema });
    traits.push({
      name,
      description: description === undefined ? "" : text(`${what}.description`, description),
      parameters: valueText(`${what}.inputSchema`, jsonSchema),
    });
  }
  return { traits, calling: known.size === 0 ? null : calling(known) };
}

function toolObject(what: string, given: unknown): Partial<Record<keyof AgentTool, unknown>> {
  if (typeof given === "object" && given !== null && !Array.isArray(given)) return given;
  throw new AutomatorInvalidArgumentError(`${what} must be an object with a function execute, not ${kindOf(given)}`);
}

/** What a tool takes: the schema that judges it, if any, and what the model is told. */
function schemaOf(what: string, given: unknown): { schema: Schema | undefined; jsonSchema: object } {
  if (given === undefined) return { schema: undefined, jsonSchema: { type: "object", properties: {} } };
  // `jsonSchema()` of the AI SDK wraps one.
  const wrapped = isSchema(given) ? undefined : memberOf(given, "jsonSchema");
  const schema = isSchema(wrapped) ? wrapped : given;
  if (!isSchema(schema)) {
    throw new AutomatorInvalidArgumentError(`${what}.inputSchema must be a schema, not ${kindOf(schema)}`);
  }
  const { $schema: _, ...jsonSchema } = converted(what, schema);
  if (jsonSchema.type !== undefined && jsonSchema.type !== "object") {
    throw new AutomatorInvalidArgumentError(`${what}.inputSchema must be the schema of an object`);
  }
  return { schema, jsonSchema: { type: "object", ...jsonSchema } };
}

function converted(what: string, schema: Schema): JsonSchema {
  try {
    return toJsonSchema(schema);
  } catch (error) {
    throw new AutomatorInvalidArgumentError(`${what}.inputSchema: ${wordsOf(error)}`, { cause: error });
  }
}

/** The tools' functions as the native half calls them. It never rejects. */
function calling(known: ReadonlyMap<string, Known>): (request: string) => Promise<string> {
  const open = new Map<number, AbortController>();
  return lasting(async (request) => {
    const { id, tool: name, input, isOver } = JSON.parse(request) as Request;
    if (isOver === true) {
      open.get(id)?.abort();
      return "";
    }
    const controller = new AbortController();
    open.set(id, controller);
    try {
      const { tool, schema } = known.get(name) as Known;
      const read = schema === undefined ? input : await validated(schema, input, name);
      const value = await tool.execute(read, { abortSignal: controller.signal });
      return valueText(`what the tool ${name} gave`, { value: value === undefined ? null : value });
    } catch (error) {
      return valueText("failure", { failure: wordsOf(error) });
    } finally {
      open.delete(id);
    }
  });
}
