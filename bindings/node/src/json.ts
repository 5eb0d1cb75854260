/** From values to the JSON text that the native half reads. */

import { AutomatorInvalidArgumentError } from "./errors";
import { memberOf, wordsOf } from "./thrown";

/**
 * Options as text. Members that are `undefined` are left out, as if they were not there; what JSON cannot hold is
 * refused, because it would go missing without a word.
 */
export function optionsText(what: string, options: unknown): string {
  return valueText(what, optionsObject(what, options));
}

/** Options as they are, and an object without members where there are none. */
export function optionsObject<T extends object>(what: string, options: T | undefined | null): T;
export function optionsObject(what: string, options: unknown): object;
export function optionsObject(what: string, options: unknown): object {
  if (options === undefined || options === null) return {};
  if (isObject(options)) return options;
  throw new AutomatorInvalidArgumentError(`${what} must be an object, not ${kindOf(options)}`);
}

/**
 * Whether a value can hold options. A pattern, a date or a page is an object, too, and as options it would be an empty
 * one; an object of a class of the user's own may have members.
 */
function isObject(value: unknown): value is object {
  if (typeof value !== "object" || value === null || Object.prototype.toString.call(value) !== "[object Object]") {
    return false;
  }
  const prototype: unknown = Object.getPrototypeOf(value);
  const isPlain = prototype === null || Object.getPrototypeOf(prototype) === null;
  return isPlain || Object.keys(value).length > 0;
}

/** As {@link optionsText}, or nothing. */
export function optionalText(what: string, options: unknown): string | null {
  return options === undefined || options === null ? null : optionsText(what, options);
}

/** Half of a pair of code units that stands alone is no character, and no text of other languages can hold it. */
const REPLACEMENT = "\ufffd";

/** A text as the native half, and all that is UTF-8, can have it. */
export function wellFormed(value: string): string {
  return value.replace(/\p{Surrogate}/gu, REPLACEMENT);
}

/** JSON text of a value that JSON can hold. Halves of pairs, which JSON writes as escapes, are replaced. */
export function jsonText(value: unknown, replacer?: (name: string, member: unknown) => unknown): string {
  const text = JSON.stringify(value, replacer) as string | undefined;
  if (text === undefined) return "null";
  if (!text.includes("\\ud")) return text;
  return text.replace(/\\(?:ud[89a-f][0-9a-f]{2}|.)/gs, (escape) => (escape.length > 2 ? REPLACEMENT : escape));
}

/** Any value as text. */
export function valueText(what: string, value: unknown): string {
  const refuse = (name: string, given: unknown): never => {
    const where = name === "" ? what : `${what}: "${name}"`;
    throw new AutomatorInvalidArgumentError(`${where} cannot be ${kindOf(given)}`);
  };
  try {
    return jsonText(value, (name, member: unknown) => {
      if (typeof member === "function" || typeof member === "bigint" || typeof member === "symbol") {
        return refuse(name, member);
      }
      return typeof member === "number" && !Number.isFinite(member) ? refuse(name, member) : member;
    });
  } catch (error) {
    if (error instanceof AutomatorInvalidArgumentError) throw error;
    throw new AutomatorInvalidArgumentError(`${what} cannot be written as JSON: ${wordsOf(error)}`, { cause: error });
  }
}

/** A text, as arguments of calls must be. */
export function text(what: string, value: unknown): string {
  if (typeof value === "string") return wellFormed(value);
  throw new AutomatorInvalidArgumentError(`${what} must be a text, not ${kindOf(value)}`);
}

/** True or false. */
export function boolean(what: string, value: unknown): boolean {
  if (typeof value === "boolean") return value;
  throw new AutomatorInvalidArgumentError(`${what} must be true or false, not ${kindOf(value)}`);
}

/** A number, as coordinates and times must be. */
export function number(what: string, value: unknown): number {
  if (typeof value === "number" && Number.isFinite(value)) return value;
  throw new AutomatorInvalidArgumentError(`${what} must be a number, not ${kindOf(value)}`);
}

/** A time in milliseconds, or nothing. */
export function milliseconds(what: string, value: unknown): number | null {
  if (value === undefined || value === null) return null;
  const given = number(what, value);
  if (given < 0) throw new AutomatorInvalidArgumentError(`${what} must not be below zero`);
  return given;
}

/** A whole number that is not below zero. */
export function wholeNumber(what: string, value: unknown): number {
  const given = number(what, value);
  if (!Number.isInteger(given) || given < 0 || given > 0xffff_ffff) {
    throw new AutomatorInvalidArgumentError(`${what} must be a whole number that is not below zero, not ${given}`);
  }
  return given;
}

/** A value in words, for errors. */
export function kindOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  switch (typeof value) {
    case "object":
      return classOf(value);
    case "function":
      return "a function";
    case "string":
      return JSON.stringify(value.length > 60 ? `${value.slice(0, 60)}…` : value);
    case "bigint":
      return "a bigint";
    case "symbol":
      return "a symbol";
    default:
      return String(value);
  }
}

/** An object by its class, if that has a name. */
function classOf(value: object): string {
  const tag = Object.prototype.toString.call(value).slice("[object ".length, -1);
  const name = tag === "Object" ? memberOf(memberOf(value, "constructor"), "name") : tag;
  if (typeof name !== "string" || name === "" || name === "Object") return "an object";
  return `a${/^[aeiou]/i.test(name) ? "n" : ""} ${name}`;
}
