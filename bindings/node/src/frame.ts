/** A frame of a page. */

import { answered } from "./errors";
import { evaluation, type PageFunction } from "./evaluate";
import { text } from "./json";
import { type FrameLocator, type Locator, makeFrameLocator, makeLocator } from "./locator";
import type { NativeFrame } from "./native";
import type { Page } from "./page";

/** @internal Makes one; programs cannot. */
export let makeFrame: (page: Page, native: NativeFrame) => Frame;

/** A frame of a page: a document in the page, in whatever process it lives. */
export class Frame {
  readonly #page: Page;
  readonly #native: NativeFrame;

  static {
    makeFrame = (page, native) => new Frame(page, native);
  }

  private constructor(page: Page, native: NativeFrame) {
    this.#page = page;
    this.#native = native;
  }

  /** Its id, which stays as long as its element lives. */
  id(): string {
    return this.#native.id();
  }

  /** The page. */
  page(): Page {
    return this.#page;
  }

  /** The frame that it is in; null for the main frame, and for one that has gone. */
  parentFrame(): Frame | null {
    const parent = this.#native.parent();
    return parent === null ? null : makeFrame(this.#page, parent);
  }

  /** The address of its document; empty when it has gone. */
  url(): string {
    return this.#native.url();
  }

  /** Its name, as its element or its document gives it; empty when it has none. */
  name(): string {
    return this.#native.name();
  }

  /** An element of it. */
  locator(selector: string): Locator {
    return makeLocator(this.#native.locator(text("selector", selector)), selector);
  }

  /** An element of it or of frames in it. */
  deepLocator(selector: string): Locator {
    return makeLocator(this.#native.deepLocator(text("selector", selector)), selector);
  }

  /** A frame in it. */
  frameLocator(selector: string): FrameLocator {
    return makeFrameLocator(this.#native.frameLocator(text("selector", selector)));
  }

  /** Evaluates JavaScript where the scripts of its document run; see `Page.evaluate`. */
  evaluate<Result, Argument = undefined>(
    source: PageFunction<Argument, Result>,
    argument?: Argument,
  ): Promise<Awaited<Result>>;
  evaluate<Result = any>(source: string, argument?: unknown): Promise<Result>;
  async evaluate(source: string | PageFunction<never, unknown>, argument?: unknown): Promise<unknown> {
    const { code, given } = evaluation(source, argument);
    return JSON.parse(await answered(() => this.#native.evaluate(code, given)));
  }
}
