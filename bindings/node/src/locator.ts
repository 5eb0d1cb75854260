/** Elements by selector: looked for at each call, waited for, and looked at after every action. */

import { readFileSync } from "node:fs";
import path from "node:path";
import { types } from "node:util";

import { answered, AutomatorInvalidArgumentError } from "./errors";
import { boolean, kindOf, milliseconds, number, optionalText, text, wholeNumber } from "./json";
import type { NativeFrameLocator, NativeLocator } from "./native";
import type { ClickOptions, Modifier, SelectorWaitOptions } from "./page-options";
import { wordsOf } from "./thrown";

/** A point relative to the upper left corner of an element, in CSS pixels. */
export interface ElementPosition {
  x: number;
  y: number;
}

/** How a locator clicks. */
export interface ElementClickOptions extends Omit<ClickOptions, "returnXpath"> {
  /** Where in the element. Default: in its middle, or where it is not covered. */
  position?: ElementPosition | undefined;
  /** How long the element is waited for, in milliseconds. Default: 2000 to be there, 5000 to be usable. */
  timeout?: number | undefined;
}

/** How a locator points. */
export interface PointerOptions {
  /** Keys that are held meanwhile. Default: none. */
  modifiers?: Modifier[] | undefined;
  /** Where in the element. Default: in its middle, or where it is not covered. */
  position?: ElementPosition | undefined;
  /** How long the element is waited for, in milliseconds. Default: 2000 to be there, 5000 to be usable. */
  timeout?: number | undefined;
}

/** How a locator types. */
export interface ElementTypeOptions {
  /** How long to wait after each character, in milliseconds. Default: 0. */
  delay?: number | undefined;
  /** How long the element is waited for, in milliseconds. Default: 2000 to be there, 5000 to be usable. */
  timeout?: number | undefined;
}

/** How a locator drags. */
export interface ElementDragOptions {
  /** How many moves lead from the start to the end. Default: 5. */
  steps?: number | undefined;
  /** How long to wait after the press, after each move, and before the release, in milliseconds. Default: 0. */
  delay?: number | undefined;
  /** Where in the dragged element. */
  from?: ElementPosition | undefined;
  /** Where in the element that it is dragged to. */
  to?: ElementPosition | undefined;
  /** How long each element is waited for, in milliseconds. */
  timeout?: number | undefined;
}

/** How a locator fills. */
export interface FillOptions {
  /** How long the element is waited for, in milliseconds. Default: 2000 to be there, 5000 to be usable. */
  timeout?: number | undefined;
}

/** How a locator marks. */
export interface HighlightOptions {
  /** For how long, in milliseconds. Default: 800. */
  durationMs?: number | undefined;
}

/** The event of `sendClickEvent`. */
export interface SendClickOptions {
  /** Default: true. */
  bubbles?: boolean | undefined;
  /** Default: true. */
  cancelable?: boolean | undefined;
  /** Whether it leaves shadow roots. Default: true. */
  composed?: boolean | undefined;
  /** The number of clicks that it tells. Default: 1. */
  detail?: number | undefined;
}

/** A file that exists in memory only. */
export interface FilePayload {
  /** The name that the page sees. */
  name: string;
  /** Its type, as `text/csv`. Default: unknown. */
  mimeType?: string | undefined;
  /** What is in it. */
  buffer: Uint8Array | ArrayBuffer | string;
  /** When it was last changed, in milliseconds since 1970. Default: now. */
  lastModified?: number | undefined;
}

/** A rectangle in the page's viewport, in CSS pixels. */
export interface BoundingBox {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** @internal Makes one; programs cannot. */
export let makeFrameLocator: (native: NativeFrameLocator) => FrameLocator;

/** Selectors that start in a frame. */
export class FrameLocator {
  readonly #native: NativeFrameLocator;

  static {
    makeFrameLocator = (native) => new FrameLocator(native);
  }

  private constructor(native: NativeFrameLocator) {
    this.#native = native;
  }

  /** An element in it. */
  locator(selector: string): Locator {
    return makeLocator(this.#native.locator(text("selector", selector)), selector);
  }

  /** A frame in it. */
  frameLocator(selector: string): FrameLocator {
    return makeFrameLocator(this.#native.frameLocator(text("selector", selector)));
  }
}

/** @internal Makes one; programs cannot. */
export let makeLocator: (native: NativeLocator, selector: string) => Locator;

/**
 * Elements by a selector. Nothing is looked for before a method is called, and each call looks anew. Where several
 * match, the first is meant; see {@link nth}. Actions send the input that a person would, and succeed only when the
 * page shows their effect.
 */
export class Locator {
  readonly #native: NativeLocator;
  /** The selector it was made with. */
  readonly selector: string;

  static {
    makeLocator = (native, selector) => new Locator(native, selector);
  }

  private constructor(native: NativeLocator, selector: string) {
    this.#native = native;
    this.selector = selector;
  }

  /** The match with this number, counted from 0. */
  nth(index: number): Locator {
    return makeLocator(this.#native.nth(wholeNumber("nth: the number", index)), this.selector);
  }

  /** The first match. */
  first(): Locator {
    return this.nth(0);
  }

  /** Clicks. */
  async click(options?: ElementClickOptions): Promise<void> {
    const given = optionalText("options", options);
    await answered(() => this.#native.click(given));
  }

  /** Clicks twice, as one gesture. */
  async doubleClick(): Promise<void> {
    await answered(() => this.#native.doubleClick());
  }

  /** Puts the pointer over it. */
  async hover(options?: PointerOptions): Promise<void> {
    const given = optionalText("options", options);
    await answered(() => this.#native.hover(given));
  }

  /** Touches it. */
  async tap(): Promise<void> {
    await answered(() => this.#native.tap());
  }

  /** Turns a checkbox, a switch or a radio button on or off. */
  async setChecked(isOn: boolean): Promise<void> {
    await answered(() => this.#native.setChecked(boolean("setChecked: the state", isOn)));
  }

  /** Replaces what a field holds. Dates are written as `2026-11-28`, times as `13:45`, colours as `#ff8800`. */
  async fill(value: string, options?: FillOptions): Promise<void> {
    const given = optionalText("options", options);
    await answered(() => this.#native.fill(text("fill: the value", value), given));
  }

  /** Types key by key, after what is there. */
  async type(value: string, options?: ElementTypeOptions): Promise<void> {
    const given = optionalText("options", options);
    await answered(() => this.#native.type(text("type: the text", value), given));
  }

  /** Presses a key or a combination while it has the focus. */
  async press(key: string): Promise<void> {
    await answered(() => this.#native.press(text("press: the key", key)));
  }

  /** Gives it the focus. */
  async focus(): Promise<void> {
    await answered(() => this.#native.focus());
  }

  /** Selects options by value or by the text that people see; all others are deselected. Gives what is selected. */
  async selectOption(options: string | string[]): Promise<string[]> {
    const choices = (Array.isArray(options) ? options : [options]).map((choice) => text("selectOption", choice));
    return await answered(() => this.#native.selectOption(choices));
  }

  /** Gives a file input these files, by path or from memory; none empties it. */
  async setInputFiles(files: string | FilePayload | (string | FilePayload)[]): Promise<void> {
    const list = Array.isArray(files) ? files : [files];
    if (list.every((file) => typeof file === "string")) {
      await answered(() => this.#native.setInputFiles(list));
      return;
    }
    const payloads = list.map(payloadOf);
    await answered(() => this.#native.setInputPayloads(payloads));
  }

  /** Drags it to another element. */
  async dragTo(target: Locator, options?: ElementDragOptions): Promise<void> {
    if (!(target instanceof Locator)) {
      throw new AutomatorInvalidArgumentError(`dragTo takes a locator, not ${kindOf(target)}`);
    }
    const given = optionalText("options", options);
    await answered(() => this.#native.dragTo(target.#native, given));
  }

  /** Scrolls it to a share of its height, such as 50 or `"50%"`. */
  async scrollTo(percent: number | string): Promise<void> {
    const share = typeof percent === "string" ? Number(percent.replace(/%\s*$/, "") || Number.NaN) : percent;
    await answered(() => this.#native.scrollTo(number("scrollTo: the percentage", share)));
  }

  /** Scrolls it by pixels, to the right and down. */
  async scrollBy(across: number, down: number): Promise<void> {
    await answered(() => this.#native.scrollBy(number("across", across), number("down", down)));
  }

  /** Scrolls it into view. */
  async scrollIntoView(): Promise<void> {
    await answered(() => this.#native.scrollIntoView());
  }

  /** Sends it a click event, whether it can be seen or not. */
  async sendClickEvent(options?: SendClickOptions): Promise<void> {
    const given = optionalText("options", options);
    await answered(() => this.#native.sendClickEvent(given));
  }

  /** Marks it on the page for a while. Default: 800 ms. */
  async highlight(options?: HighlightOptions): Promise<void> {
    const given = optionalText("options", options);
    await answered(() => this.#native.highlight(given));
  }

  /** Waits until it is in a state: visible, at most 30 s, by default. */
  async waitFor(options?: SelectorWaitOptions): Promise<void> {
    const given = optionalText("options", options);
    await answered(() => this.#native.waitFor(given));
  }

  /** How many there are now. */
  count(): Promise<number> {
    return answered(() => this.#native.count());
  }

  /** Whether people see it now; not being there is not being seen. */
  isVisible(): Promise<boolean> {
    return answered(() => this.#native.isVisible());
  }

  /** Whether it can be used: neither disabled nor inert. */
  isEnabled(): Promise<boolean> {
    return answered(() => this.#native.isEnabled());
  }

  /** Whether it is on: a checkbox, a radio button, or what `aria-checked` says. */
  isChecked(): Promise<boolean> {
    return answered(() => this.#native.isChecked());
  }

  /** What a field holds. */
  inputValue(): Promise<string> {
    return answered(() => this.#native.inputValue());
  }

  /** All text in it, as the document has it. */
  textContent(): Promise<string> {
    return answered(() => this.#native.textContent());
  }

  /** Its text as it is laid out. */
  innerText(): Promise<string> {
    return answered(() => this.#native.innerText());
  }

  /** The HTML in it. */
  innerHtml(): Promise<string> {
    return answered(() => this.#native.innerHtml());
  }

  /** One of its attributes; null when it has none of this name. */
  async getAttribute(name: string): Promise<string | null> {
    return (await answered(() => this.#native.getAttribute(text("name", name)))) ?? null;
  }

  /** Its box in the page's viewport; null when it has none. */
  async boundingBox(): Promise<BoundingBox | null> {
    return JSON.parse(await answered(() => this.#native.boundingBox())) as BoundingBox | null;
  }

  /** The middle of its box in the page's viewport, in CSS pixels. */
  async centroid(): Promise<{ x: number; y: number }> {
    const [x = 0, y = 0] = await answered(() => this.#native.centroid());
    return { x, y };
  }

  /** The id by which the DevTools protocol knows its node. */
  backendNodeId(): Promise<number> {
    return answered(() => this.#native.backendNodeId());
  }
}

/** A file as the native half takes it; one of this computer is read when others come from memory. */
function payloadOf(file: string | FilePayload): {
  name: string;
  mimeType: string;
  buffer: Buffer;
  lastModified?: number | undefined;
} {
  if (typeof file === "string") {
    try {
      return { name: path.basename(file), mimeType: "", buffer: readFileSync(file) };
    } catch (error) {
      throw new AutomatorInvalidArgumentError(`setInputFiles: the file cannot be read: ${wordsOf(error)}`, {
        cause: error,
      });
    }
  }
  if (typeof file !== "object" || file === null) {
    throw new AutomatorInvalidArgumentError(`setInputFiles takes paths and files, not ${kindOf(file)}`);
  }
  const { name, mimeType = "", buffer, lastModified } = file;
  let bytes: Buffer;
  if (typeof buffer === "string") bytes = Buffer.from(buffer);
  else if (types.isAnyArrayBuffer(buffer)) bytes = Buffer.from(buffer);
  else if (ArrayBuffer.isView(buffer)) bytes = Buffer.from(buffer.buffer, buffer.byteOffset, buffer.byteLength);
  else {
    const problem = `setInputFiles: the buffer of a file must be bytes or a text, not ${kindOf(buffer)}`;
    throw new AutomatorInvalidArgumentError(problem);
  }
  return {
    name: text("setInputFiles: the name of a file", name),
    mimeType: text("setInputFiles: the mimeType of a file", mimeType),
    buffer: bytes,
    lastModified: milliseconds("setInputFiles: the lastModified of a file", lastModified) ?? undefined,
  };
}
