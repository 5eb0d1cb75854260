/** Functions and expressions that run in pages. */

import { AutomatorInvalidArgumentError } from "./errors";
import { kindOf, valueText } from "./json";

/** A function that runs in the page: it sees nothing of this program but its argument. */
export type PageFunction<Argument, Result> = (argument: Argument) => Result;

/** What is evaluated, and with what. */
export function evaluation(source: unknown, argument: unknown): { code: string; given: string | null } {
  if (typeof source !== "string" && typeof source !== "function") {
    throw new AutomatorInvalidArgumentError(`evaluate takes a text or a function, not ${kindOf(source)}`);
  }
  return {
    code: String(source),
    given: argument === undefined ? null : valueText("evaluate: the argument", argument),
  };
}
