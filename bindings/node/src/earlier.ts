/** Calls as earlier versions and other libraries of the kind have them: refused with the call that is meant. */

import { AutomatorInvalidArgumentError } from "./errors";
import { memberOf } from "./thrown";

/** Whether something is a schema of Zod or another library: a JSON Schema is told from options by its members. */
function isLibrarySchema(value: unknown): boolean {
  return memberOf(value, "~standard") !== undefined || memberOf(value, "_def") !== undefined;
}

/** Refuses members without an object around them, `{ name: z.string() }`, in place of a schema. */
export function refuseShape(what: string, value: unknown): void {
  if (typeof value !== "object" || value === null || isLibrarySchema(value)) return;
  const isMember = (name: string) => name !== "schema" && isLibrarySchema(memberOf(value, name));
  if (!Object.keys(value).some(isMember)) return;
  refuse(`${what}: the schema is a list of members without an object around them`, "write z.object({ … })");
}

/** Refuses `act({ action })` and `act({ instruction })`. */
export function refuseActObject(input: object): void {
  if ("selector" in input) return;
  const name = ["action", "instruction"].find((name) => typeof memberOf(input, name) === "string");
  if (name === undefined) return;
  refuse(`act: the instruction is a text of its own, not the member "${name}"`, 'write act("…", options)');
}

/** Refuses an instruction, or a schema, among the options. */
export function refuseInstructionIn(operation: "observe" | "extract", options: object): void {
  const name = ["instruction", "schema"].find((name) => Object.hasOwn(options, name));
  if (name === undefined) return;
  const call = operation === "extract" ? 'extract("…", schema, options)' : 'observe("…", options)';
  refuse(`${operation}: the ${name} is an argument of its own, not an option`, `write ${call}`);
}

/** Refuses `page.extract("…", schema)`. */
export function refuseSecond(second: unknown): void {
  if (second === undefined) return;
  refuse(
    "page.extract takes one argument",
    'write page.extract({ instruction: "…", schema }), or automator.extract("…", schema)',
  );
}

function refuse(problem: string, hint: string): never {
  throw new AutomatorInvalidArgumentError(`${problem} (${hint})`, { hint });
}
