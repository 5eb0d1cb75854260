/** A page of the session. */

import type { Action, ActResult } from "./action";
import type { Automator, Extraction, PageText } from "./automator";
import type { ConsoleMessage } from "./console-message";
import type { Context } from "./context";
import { refuseSecond, refuseShape } from "./earlier";
import { answered, AutomatorInvalidArgumentError } from "./errors";
import { evaluation, type PageFunction } from "./evaluate";
import { type Frame, makeFrame } from "./frame";
import { headersText } from "./headers";
import { type InitScript, initScriptText } from "./init-script";
import { kindOf, milliseconds, number, optionalText, optionsObject, optionsText, text, valueText, wholeNumber } from "./json";
import { type FrameLocator, Locator, makeFrameLocator, makeLocator } from "./locator";
import type { NativePage, NativeResponse } from "./native";
import type { ActOptions, ObserveOptions } from "./options";
import { PageEvents, type PageEventMap } from "./page-events";
import type {
  ClickOptions,
  DragOptions,
  GotoOptions,
  KeyPressOptions,
  PointOptions,
  ReloadOptions,
  ScreenshotOptions,
  SelectorWaitOptions,
  Snapshot,
  SnapshotOptions,
  TypingOptions,
  ViewportSizeOptions,
  WaitUntil,
} from "./page-options";
import { makeResponse, type Response } from "./response";
import { type Infer, isSchema, type ObjectSchema, type Schema, toJsonSchema, validated } from "./schema";

/** Options of `extract` on a page, with the names and rules of version 2 of the interface. */
export interface PageExtractOptions<S extends Schema = Schema> {
  /** What to extract. Without it, and without a schema, the result is the page as text. */
  instruction?: string | undefined;
  /** The schema of the result, which must be one of an object. Default: text. */
  schema?: S | undefined;
  /** Limits the extraction to one part of the page. Default: the whole page. */
  selector?: string | undefined;
  /** Reads the content of frames, too. Default: false. */
  iframes?: boolean | undefined;
  /** The model of this call, as `provider/model`. Default: that of the session. */
  modelName?: string | undefined;
  /** Options of the model, as `apiKey` and `baseURL`. */
  modelClientOptions?: Record<string, unknown> | undefined;
  /** How long the page may take to come to rest, in milliseconds. Default: that of the session. */
  domSettleTimeoutMs?: number | undefined;
}

/** The native page of a page. */
export let nativeOf: (page: Page) => NativePage;

/** @internal Makes one; programs cannot. */
export let makePage: (session: Automator, context: Context, native: NativePage) => Page;

/** A page. There is one object for each, so two are the same page when they are `===`. */
export class Page {
  readonly #session: Automator;
  readonly #context: Context;
  readonly #native: NativePage;
  readonly #events: PageEvents;

  static {
    makePage = (session, context, native) => new Page(session, context, native);
    nativeOf = (page) => page.#native;
  }

  private constructor(session: Automator, context: Context, native: NativePage) {
    this.#session = session;
    this.#context = context;
    this.#native = native;
    this.#events = new PageEvents(this, context, native);
  }

  /** @internal The session that it belongs to. */
  get session(): Automator {
    return this.#session;
  }

  /** The context that it belongs to. */
  context(): Context {
    return this.#context;
  }

  /** The id under which the browser, and other libraries, know it. */
  targetId(): string {
    return this.#native.id();
  }

  /** The id of the main frame, which is that of the page. */
  mainFrameId(): string {
    return this.#native.id();
  }

  /** The address, as the browser last told it. */
  url(): string {
    return this.#native.url();
  }

  /** The title. */
  title(): Promise<string> {
    return this.#call((native) => native.title());
  }

  /** Whether it has been closed, by us or by itself. */
  isClosed(): boolean {
    return this.#native.isClosed();
  }

  /** The page that opened this one; null when there is none any more. */
  opener(): Page | null {
    const opener = this.#native.opener();
    return opener === null ? null : this.#context.pageOf(opener);
  }

  /** Closes it. */
  close(): Promise<void> {
    return this.#call((native) => native.close());
  }

  /**
   * An element by selector: CSS; an XPath, bare or with `xpath=`; `text=` and a part of a text. Shadow roots, open and
   * closed, are looked into.
   */
  locator(selector: string): Locator {
    return makeLocator(this.#native.locator(text("selector", selector)), selector);
  }

  /** An element by a selector whose `>>` lead into frames and shadow roots: `#checkout >> text=Pay`. */
  deepLocator(selector: string): Locator {
    return makeLocator(this.#native.deepLocator(text("selector", selector)), selector);
  }

  /** A frame, for selectors that start in it. */
  frameLocator(selector: string): FrameLocator {
    return makeFrameLocator(this.#native.frameLocator(text("selector", selector)));
  }

  /** The main frame. */
  mainFrame(): Frame {
    return makeFrame(this, this.#native.mainFrame());
  }

  /** All frames, the main one first. */
  frames(): Frame[] {
    return this.#native.frames().map((frame) => makeFrame(this, frame));
  }

  /**
   * Goes to an address. Gives the response of the main document, if there is one; an HTTP error is a page like any
   * other.
   *
   * @throws NavigationError for network errors and forbidden addresses, TimeoutError.
   */
  async goto(url: string, options?: GotoOptions): Promise<Response | null> {
    const given = optionalText("options", options);
    return this.#response(await this.#call((native) => native.goto(text("goto: url", url), given)));
  }

  /** Loads it anew. */
  async reload(options?: ReloadOptions): Promise<Response | null> {
    const given = optionalText("options", options);
    return this.#response(await this.#call((native) => native.reload(given)));
  }

  /** Goes one step back in its history; null when there is none. */
  async goBack(options?: GotoOptions): Promise<Response | null> {
    const given = optionalText("options", options);
    return this.#response(await this.#call((native) => native.goBack(given)));
  }

  /** Goes one step forward in its history; null when there is none. */
  async goForward(options?: GotoOptions): Promise<Response | null> {
    const given = optionalText("options", options);
    return this.#response(await this.#call((native) => native.goForward(given)));
  }

  /** Waits until the document has come so far, at most 15 s by default. */
  async waitForLoadState(state: WaitUntil = "domcontentloaded", timeoutMs?: number): Promise<void> {
    const limit = milliseconds("timeoutMs", timeoutMs);
    const given = optionsText("options", { state });
    await this.#call((native) => native.waitForLoadState(given, limit));
  }

  /** Waits until an element is in a state: visible, at most 30 s, by default. `>>` leads into frames. */
  async waitForSelector(selector: string, options?: SelectorWaitOptions): Promise<true> {
    const given = optionalText("options", options);
    await this.#call((native) => native.waitForSelector(text("selector", selector), given));
    return true;
  }

  /** Does nothing for a while. */
  async waitForTimeout(durationMs: number): Promise<void> {
    const duration = milliseconds("waitForTimeout", durationMs) ?? 0;
    await this.#call((native) => native.waitForTimeout(duration));
  }

  /**
   * Evaluates JavaScript where the page's own scripts run: an expression, statements (the last one has the value), or
   * a function, which is called with the argument. Promises are waited for. Arguments and values go through JSON.
   *
   * @throws AutomatorEvalError with the page's own message.
   */
  evaluate<Result, Argument = undefined>(
    source: PageFunction<Argument, Result>,
    argument?: Argument,
  ): Promise<Awaited<Result>>;
  evaluate<Result = any>(source: string, argument?: unknown): Promise<Result>;
  async evaluate(source: string | PageFunction<never, unknown>, argument?: unknown): Promise<unknown> {
    const { code, given } = evaluation(source, argument);
    return JSON.parse(await this.#call((native) => native.evaluate(code, given)));
  }

  /** A picture of the page, of a part of it, or of all of it. */
  async screenshot(options?: ScreenshotOptions): Promise<Buffer> {
    const { mask, ...plain } = optionsObject("options", options);
    if (mask !== undefined && !Array.isArray(mask)) {
      throw new AutomatorInvalidArgumentError(`options.mask must be a list, not ${kindOf(mask)}`);
    }
    const masked = mask?.map((entry) => (entry instanceof Locator ? entry.selector : entry));
    const given = optionsText("options", { ...plain, mask: masked });
    return await this.#call((native) => native.screenshot(given));
  }

  /** Gives the viewport a size in CSS pixels. */
  async setViewportSize(width: number, height: number, options?: ViewportSizeOptions): Promise<void> {
    const given = optionalText("options", options);
    const size = [wholeNumber("width", width), wholeNumber("height", height)] as const;
    await this.#call((native) => native.setViewportSize(...size, given));
  }

  /** The page as text with ids, and what belongs to them. */
  async snapshot(options: SnapshotOptions = {}): Promise<Snapshot> {
    const given = optionsText("options", options);
    const { formattedTree, maps } = await this.#call((native) => native.snapshot(given));
    return { formattedTree, ...(JSON.parse(maps) as Omit<Snapshot, "formattedTree">) };
  }

  /** Clicks at a point of the viewport. Gives the XPath of what is there when `returnXpath` is set, else "". */
  async click(x: number, y: number, options?: ClickOptions): Promise<string> {
    const given = optionalText("options", options);
    return await this.#call((native) => native.click(number("x", x), number("y", y), given));
  }

  /** Moves the mouse to a point of the viewport. */
  async hover(x: number, y: number, options?: PointOptions): Promise<string> {
    const given = optionalText("options", options);
    return await this.#call((native) => native.hover(number("x", x), number("y", y), given));
  }

  /** Touches a point of the viewport with one finger. */
  async tap(x: number, y: number, options?: PointOptions): Promise<string> {
    const given = optionalText("options", options);
    return await this.#call((native) => native.tap(number("x", x), number("y", y), given));
  }

  /** Turns the wheel at a point: pixels to the right and down. Returns when scrolling has stopped. */
  async scroll(x: number, y: number, deltaX: number, deltaY: number, options?: PointOptions): Promise<string> {
    const given = optionalText("options", options);
    const [dx, dy] = [number("deltaX", deltaX), number("deltaY", deltaY)];
    return await this.#call((native) => native.scroll(number("x", x), number("y", y), dx, dy, given));
  }

  /** Drags from one point to another. Gives the XPaths of what is there when `returnXpath` is set. */
  async dragAndDrop(
    fromX: number,
    fromY: number,
    toX: number,
    toY: number,
    options?: DragOptions,
  ): Promise<[string, string]> {
    const given = optionalText("options", options);
    const from = [number("fromX", fromX), number("fromY", fromY)] as const;
    const to = [number("toX", toX), number("toY", toY)] as const;
    const [start = "", end = ""] = await this.#call((native) => native.dragAndDrop(...from, ...to, given));
    return [start, end];
  }

  /** Types where the focus is, key by key. A line break is the Enter key, a tab the Tab key. */
  async type(value: string, options?: TypingOptions): Promise<void> {
    const given = optionalText("options", options);
    await this.#call((native) => native.type(text("type: the text", value), given));
  }

  /** Presses a key or a combination: `Enter`, `F5`, `Control+Shift+A`, `cmd+c`. */
  async keyPress(key: string, options?: KeyPressOptions): Promise<void> {
    const given = optionalText("options", options);
    await this.#call((native) => native.press(text("keyPress: the key", key), given));
  }

  /** Adds a script to every later document of this page, frames included, before the page's own scripts. */
  async addInitScript<Argument = unknown>(script: InitScript<Argument>, argument?: Argument): Promise<void> {
    const given = initScriptText(script, argument);
    await this.#call((native) => native.addInitScript(given));
  }

  /** Sends these headers with every request of this page, in place of the set given before. */
  async setExtraHTTPHeaders(headers: Record<string, string>): Promise<void> {
    const given = headersText(headers);
    await this.#call((native) => native.setExtraHttpHeaders(given));
  }

  /** Sends any DevTools command to the page. */
  async sendCDP<Answer = unknown>(method: string, params: object = {}): Promise<Answer> {
    const given = valueText("params", params);
    return JSON.parse(await this.#call((native) => native.sendCDP(text("method", method), given))) as Answer;
  }

  /** Does something on this page; see `Automator.act`. */
  async act(input: string | Action, options: Omit<ActOptions, "page"> = {}): Promise<ActResult> {
    return this.#session.act(input, { ...optionsObject("options", options), page: this });
  }

  /** Finds what can be done on this page; see `Automator.observe`. */
  observe(options?: Omit<ObserveOptions, "page">): Promise<Action[]>;
  observe(instruction?: string, options?: Omit<ObserveOptions, "page">): Promise<Action[]>;
  async observe(
    first?: string | Omit<ObserveOptions, "page">,
    second?: Omit<ObserveOptions, "page">,
  ): Promise<Action[]> {
    const isOptions = typeof first === "object";
    const options = { ...optionsObject("options", isOptions ? first : second), page: this };
    return isOptions ? this.#session.observe(options) : this.#session.observe(first, options);
  }

  /** The page as text, without a model. */
  extract(): Promise<PageText>;
  /** What the instruction describes, as text. */
  extract(instruction: string): Promise<Extraction>;
  /** What the instruction describes, as the schema has it, which must be one of an object. */
  extract<S extends Schema>(
    options: PageExtractOptions<S> & { instruction: string; schema: ObjectSchema<S> },
  ): Promise<Infer<S>>;
  extract(options: PageExtractOptions & { instruction: string; schema?: undefined }): Promise<Extraction>;
  extract(options: PageExtractOptions & { instruction?: undefined; schema?: undefined }): Promise<PageText>;
  async extract(input: string | PageExtractOptions = {}, second?: unknown): Promise<unknown> {
    refuseSecond(second);
    const given: PageExtractOptions = typeof input === "string" ? { instruction: input } : input;
    const { schema, ...options } = optionsObject("options", given);
    refuseShape("page.extract", schema);
    if (schema !== undefined && !isSchema(schema)) {
      throw new AutomatorInvalidArgumentError(`options.schema must be a schema, not ${kindOf(schema)}`);
    }
    const jsonSchema = schema === undefined ? undefined : toJsonSchema(schema);
    const asked = optionsText("options", { ...options, schema: jsonSchema });
    const extracted = await this.#call((native) => native.extract(asked));
    if (extracted.answer === undefined) return { pageText: extracted.pageText };
    const answer: unknown = JSON.parse(extracted.answer);
    return schema === undefined ? answer : await validated(schema, answer);
  }

  /** Listens to events from now on: `console`, `pageerror`, `dialog`, `download`, `filechooser`, `popup`, `close`. */
  on<Name extends keyof PageEventMap>(name: Name, listener: (event: PageEventMap[Name]) => void): this {
    this.#events.add(name, listener, false);
    return this;
  }

  /** As {@link on}, for the next event only. */
  once<Name extends keyof PageEventMap>(name: Name, listener: (event: PageEventMap[Name]) => void): this {
    this.#events.add(name, listener, true);
    return this;
  }

  /** Ends the listening of a listener. */
  off<Name extends keyof PageEventMap>(name: Name, listener: (event: PageEventMap[Name]) => void): this {
    this.#events.remove(name, listener);
    return this;
  }

  #response(native: NativeResponse | null): Response | null {
    return native === null ? null : makeResponse(this, native);
  }

  /** Calls the native half, after the browser has heard what is listened to. */
  #call<T>(call: (native: NativePage) => Promise<T>): Promise<T> {
    const ready = this.#events.ready;
    return answered(async () => {
      if (ready !== undefined) await ready;
      return await call(this.#native);
    });
  }
}

export type { ConsoleMessage };
