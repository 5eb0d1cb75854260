/** Lines of a page's console. */

import type { Page } from "./page";

/** Where a line was written. */
export interface ScriptLocation {
  url: string;
  /** Counted from 0. */
  lineNumber: number;
  /** Counted from 0. */
  columnNumber: number;
}

/** An argument of a line. */
export interface ConsoleArgument {
  /** The value; of an object only what a glance shows. */
  value: unknown;
  /** The id for DevTools commands that take an `objectId`; null for plain values. */
  objectId: string | null;
}

/** What the native half tells of a line. */
export interface ToldMessage {
  type: string;
  text: string;
  args: ConsoleArgument[];
  location: ScriptLocation;
  timestamp: number;
}

/** @internal Makes one; programs cannot. */
export let makeConsoleMessage: (page: Page, told: ToldMessage, event: unknown) => ConsoleMessage;

/** A line of a page's console. */
export class ConsoleMessage {
  readonly #page: Page;
  readonly #told: ToldMessage;

  static {
    makeConsoleMessage = (page, told, event) => new ConsoleMessage(page, told, event);
  }

  /** `event` keeps the objects of the arguments alive in the page. */
  private constructor(
    page: Page,
    told: ToldMessage,
    protected readonly event: unknown,
  ) {
    this.#page = page;
    this.#told = told;
  }

  /** The method of `console` that wrote it, with `warning` for `warn`. */
  type(): string {
    return this.#told.type;
  }

  /** The arguments as one text. */
  text(): string {
    return this.#told.text;
  }

  /** The arguments. */
  args(): ConsoleArgument[] {
    return this.#told.args;
  }

  /** Where it was written. */
  location(): ScriptLocation {
    return this.#told.location;
  }

  /** The page that it was written on. */
  page(): Page {
    return this.#page;
  }

  /** When, in milliseconds since 1970. */
  timestamp(): number {
    return this.#told.timestamp;
  }

  /** All that is known of it, as plain data. */
  raw(): ToldMessage {
    return this.#told;
  }
}
