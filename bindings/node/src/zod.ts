/** What schemas of Zod 3 and 4 take: parts that no JSON is, and parts that take anything. */

import { AutomatorInvalidArgumentError } from "./errors";
import { memberOf } from "./thrown";

/** What no JSON is, and what to write in its place. */
const IMPOSSIBLE: Record<string, { name: string; instead: string }> = {
  date: { name: "a Date", instead: "z.coerce.date(), or a text with a transform" },
  bigint: { name: "a bigint", instead: "z.coerce.bigint(), or a number" },
  set: { name: "a Set", instead: "an array with a transform" },
  map: { name: "a Map", instead: "a record with a transform" },
  symbol: { name: "a symbol", instead: "an enum" },
  nan: { name: "NaN", instead: "a number that may be null" },
  function: { name: "a function", instead: "what it would give" },
  file: { name: "a file", instead: "its address" },
};

/** The wrappers that want what is in them. */
const WRAPPERS = ["optional", "nullable", "default", "prefault", "nonoptional", "readonly", "success"];

interface Definition {
  kind: string;
  member(name: string): unknown;
}

/** What a schema of Zod is made of; undefined for anything else. */
function definitionOf(schema: unknown): Definition | undefined {
  const definition = memberOf(memberOf(schema, "_zod"), "def") ?? memberOf(schema, "_def");
  const older = memberOf(definition, "typeName");
  const kind = typeof older === "string" ? older.replace(/^Zod/, "").toLowerCase() : memberOf(definition, "type");
  return typeof kind === "string" ? { kind, member: (name) => memberOf(definition, name) } : undefined;
}

/** Whether a schema takes whatever is given, because `.catch()` has a value for all that it does not like. */
export function isCatch(schema: unknown): boolean {
  return definitionOf(schema)?.kind === "catch";
}

/** The members of an object that take whatever is given, so that they may be missing, too. */
export function caughtMembers(schema: unknown): string[] {
  const shape = definitionOf(schema)?.member("shape");
  if (typeof shape !== "object" || shape === null) return [];
  return Object.entries(shape).flatMap(([name, member]) => (isCatch(member) ? [name] : []));
}

/** What an optional schema is about: the whole of an answer is never left out. */
export function withoutOptional(schema: unknown): unknown {
  const definition = definitionOf(schema);
  return definition?.kind === "optional" ? withoutOptional(definition.member("innerType")) : schema;
}

/**
 * Refuses a schema that no JSON fits, before a model is asked for what cannot be right.
 *
 * @throws AutomatorInvalidArgumentError that names the member.
 */
export function refuseImpossible(schema: unknown): void {
  const found = impossible(schema, "", new Set());
  const told = found === undefined ? undefined : IMPOSSIBLE[found.kind];
  if (found === undefined || told === undefined) return;
  const place = found.place === "" ? "the schema" : `${found.place.replace(/^\./, "")} of the schema`;
  const hint = `use ${told.instead}`;
  throw new AutomatorInvalidArgumentError(`${place} wants ${told.name}, and no JSON is one (${hint})`, { hint });
}

interface Found {
  kind: string;
  place: string;
}

/** The first part that nothing fits. Where one of several alternatives can be met, there is none. */
function impossible(schema: unknown, place: string, above: ReadonlySet<unknown>): Found | undefined {
  const definition = definitionOf(schema);
  if (definition === undefined || above.has(schema)) return undefined;
  const { kind, member } = definition;
  const within = new Set([...above, schema]);
  const inside = (part: unknown, step = ""): Found | undefined => impossible(part, place + step, within);
  const firstOf = (parts: unknown, step: (index: number) => string = () => ""): Found | undefined =>
    first(Array.isArray(parts) ? parts : [], (part, index) => inside(part, step(index)));
  if (Object.hasOwn(IMPOSSIBLE, kind)) return member("coerce") === true ? undefined : { kind, place };
  if (WRAPPERS.includes(kind)) return inside(member("innerType"));
  switch (kind) {
    case "object": {
      const shape = member("shape");
      const members: unknown = typeof shape === "function" ? shape() : shape;
      return first(Object.entries(members ?? {}), ([name, part]) => inside(part, `.${name}`));
    }
    case "array":
      return inside(member("element") ?? member("type"), "[]");
    case "tuple":
      return firstOf(member("items"), (index) => `[${index}]`);
    case "record":
      return inside(member("valueType"), "[]");
    case "union":
    case "discriminatedunion": {
      const options = member("options");
      const found = Array.isArray(options) ? options.map((option) => inside(option)) : [];
      return found.includes(undefined) ? undefined : found[0];
    }
    case "intersection":
      return firstOf([member("left"), member("right")]);
    case "lazy":
      return inside((member("getter") as () => unknown)());
    case "branded":
      return inside(member("type"));
    // What goes in is what counts; a function that comes first takes anything.
    case "pipe":
    case "pipeline":
      return inside(member("in"));
    case "effects":
      return memberOf(member("effect"), "type") === "preprocess" ? undefined : inside(member("schema"));
    default:
      return undefined;
  }
}

function first<Part>(parts: Part[], find: (part: Part, index: number) => Found | undefined): Found | undefined {
  for (const [index, part] of parts.entries()) {
    const found = find(part, index);
    if (found !== undefined) return found;
  }
  return undefined;
}
