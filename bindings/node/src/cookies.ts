/** Cookies of the browser. */

import { types } from "node:util";

import { optionsObject, optionsText } from "./json";

/** A cookie as the browser keeps it. */
export interface Cookie {
  name: string;
  value: string;
  /** The host that gets it; with a dot in front, also the hosts below. */
  domain: string;
  path: string;
  /** When it ends, in seconds since 1970; −1 when it ends with the browser. */
  expires: number;
  httpOnly: boolean;
  secure: boolean;
  sameSite: "Strict" | "Lax" | "None";
}

/** A cookie to set: for a `url`, or for a `domain` and a `path`. */
export interface NewCookie {
  name: string;
  value: string;
  /** The address that it is for, in place of `domain` and `path`. */
  url?: string | undefined;
  domain?: string | undefined;
  path?: string | undefined;
  /** When it ends, in seconds since 1970. Default, and −1: with the browser. */
  expires?: number | undefined;
  httpOnly?: boolean | undefined;
  secure?: boolean | undefined;
  sameSite?: "Strict" | "Lax" | "None" | undefined;
}

/** Which cookies: those that match every member that is given. */
export interface CookieFilter {
  name?: string | RegExp | undefined;
  domain?: string | RegExp | undefined;
  path?: string | RegExp | undefined;
}

/** A filter with its regular expressions as the core reads them. */
export function filterText(filter: CookieFilter): string {
  const members = Object.entries(optionsObject("filter", filter)).map(([name, value]: [string, unknown]) => {
    if (!types.isRegExp(value)) return [name, value];
    const flags = ["i", "m", "s"].filter((flag) => value.flags.includes(flag)).join("");
    return [name, { pattern: flags === "" ? value.source : `(?${flags})${value.source}` }];
  });
  return optionsText("filter", Object.fromEntries(members));
}
