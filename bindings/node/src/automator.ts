/** The session. */

import type { Action, ActResult } from "./action";
import { Agent, type AgentInstance, type StreamingAgentInstance } from "./agent";
import type { AgentConfig } from "./agent-options";
import { nativeTools } from "./agent-tools";
import { type Context, makeContext } from "./context";
import { refuseActObject, refuseInstructionIn, refuseShape } from "./earlier";
import { answered, answeredAtOnce, AutomatorInvalidArgumentError } from "./errors";
import { targetIdOf } from "./foreign-page";
import { kindOf, optionalText, optionsObject, optionsText, text, valueText } from "./json";
import { answering, traitsOf } from "./llm-client";
import { guarded, toStandardError } from "./log-line";
import { native, type NativeSession } from "./native";
import type { ActOptions, AutomatorOptions, CloseOptions, ExtractOptions, ObserveOptions } from "./options";
import { Page } from "./page";
import type { AutomatorMetrics, HistoryEntry } from "./records";
import { type Infer, isSchema, type JsonSchema, type Schema, toJsonSchema, validated } from "./schema";

/** The answer of an extraction without a schema. */
export interface Extraction {
  /** What was extracted. */
  extraction: string;
  /** Present only on the remote platform. */
  cacheStatus?: "HIT" | "MISS";
}

/** The page as text. */
export interface PageText {
  /** An indented outline, one element or piece of text a line. */
  pageText: string;
  /** Present only on the remote platform. */
  cacheStatus?: "HIT" | "MISS";
}

/** One place on the page that a part of an answer stands on. */
export interface Source {
  /** The absolute XPath of the element. */
  xpath: string;
  /** Its id in the page text, when it carries one. */
  id?: string | null;
  [detail: string]: unknown;
}

/** A value and where on the page it stands, by JSON pointer; a part that stands nowhere has an empty list. */
export interface WithProvenance<T> {
  value: T;
  provenance: Record<string, Source[]>;
}

/**
 * A session: it starts a browser or attaches to one, and does what is asked for in words.
 *
 * ```ts
 * const automator = new Automator({ env: "LOCAL", model: "openai/gpt-4.1-mini" });
 * await automator.init();
 * await automator.context.pages()[0].goto("https://example.com");
 * const { extraction } = await automator.extract("the heading");
 * await automator.close();
 * ```
 */
export class Automator {
  readonly #native: NativeSession;
  #context: Context | undefined;
  #isOpen = false;

  /**
   * A session that is not yet initialised.
   *
   * @throws AutomatorEnvironmentError for an `env` that does not exist, InvalidAISDKModelFormatError for a model
   *   that is not `provider/model`, AutomatorInvalidArgumentError for every other option that cannot be used.
   */
  constructor(options: AutomatorOptions) {
    const { logger, llmClient, ...plain } = optionsObject("options", options);
    if (logger !== undefined && typeof logger !== "function") {
      throw new AutomatorInvalidArgumentError(`options.logger must be a function, not ${kindOf(logger)}`);
    }
    // A library is quiet unless it is told not to be: `verbose` counts as such only where it is written down.
    const isAskedFor = (plain.verbose ?? 0) >= 1 && plain.disableLogBackend !== true;
    const receiver = logger ?? (isAskedFor ? toStandardError : undefined);
    const client = llmClient === undefined ? null : traitsOf(llmClient);
    const { NativeSession } = native();
    this.#native = answeredAtOnce(
      () =>
        new NativeSession(
          optionsText("options", plain),
          receiver === undefined ? null : guarded(receiver),
          client,
          llmClient === undefined ? null : answering(llmClient),
        ),
    );
  }

  /**
   * Starts the browser, or attaches to one. Afterwards there is a first page.
   *
   * @throws AutomatorInitError when no browser comes up; for `REMOTE` also MissingEnvironmentVariableError without a
   *   key, AutomatorEnvironmentError for a key that is not accepted, RemoteSessionNotFoundError for a session to resume
   *   that is not there or has ended.
   */
  async init(): Promise<void> {
    // A session that is open stays as it is, and so do its pages; one whose browser is lost gets others.
    if (!this.#isLive()) this.#context = undefined;
    await answered(() => this.#native.init());
    this.#isOpen = true;
  }

  #isLive(): boolean {
    try {
      this.#native.context();
      return true;
    } catch {
      return false;
    }
  }

  /** Ends the session and, unless `keepAlive` is set, the browser. Closing twice is fine. */
  async close(options?: CloseOptions): Promise<void> {
    const given = optionalText("options", options);
    await answered(() => this.#native.close(given));
    this.#isOpen = false;
    this.#context = undefined;
  }

  /**
   * The pages. Null before `init()` and after `close()`, which the type leaves out so that programs need not ask.
   *
   * @throws AutomatorNotInitializedError once the browser is lost.
   */
  get context(): Context {
    if (!this.#isOpen) return null as unknown as Context;
    const context = answeredAtOnce(() => this.#native.context());
    this.#context ??= makeContext(this, context);
    return this.#context;
  }

  /** The id of the remote session, to be resumed with. Undefined for `LOCAL` and before `init()`. */
  get remoteSessionID(): string | undefined {
    return this.#native.remoteSessionId() ?? undefined;
  }

  /**
   * The address of a page on which the remote session can be watched; can be given to others. Undefined for `LOCAL`, and
   * when the platform gives none.
   */
  get remoteSessionURL(): string | undefined {
    return this.#native.remoteSessionUrl() ?? undefined;
  }

  /**
   * The address of a page on which the remote session can be driven by hand. Undefined for `LOCAL`, and when the platform
   * gives none.
   */
  get remoteDebugURL(): string | undefined {
    return this.#native.remoteDebugUrl() ?? undefined;
  }

  /** Tokens and time so far. They survive a close. */
  get metrics(): Promise<AutomatorMetrics> {
    return answered(async () => JSON.parse(this.#native.metrics()) as AutomatorMetrics);
  }

  /** All operations so far, the oldest first. A close empties it. */
  get history(): Promise<readonly HistoryEntry[]> {
    return answered(async () => {
      const entries = JSON.parse(this.#native.history()) as HistoryEntry[];
      return Object.freeze(entries.map((entry) => Object.freeze(entry)));
    });
  }

  /**
   * The WebSocket address under which other libraries reach the browser.
   *
   * @throws AutomatorNotInitializedError before `init()`.
   */
  connectURL(): string {
    return answeredAtOnce(() => this.#native.connectUrl());
  }

  /**
   * Does something on the page: what an instruction says, or exactly one {@link Action}. Success means that the
   * page shows the effect; that it could not be done is no error.
   *
   * @throws ActTimeoutError, AutomatorInvalidArgumentError, and the errors of models and of pages that are gone.
   */
  async act(input: string | Action, options: ActOptions = {}): Promise<ActResult> {
    const isAction = typeof input === "object" && input !== null;
    if (isAction) refuseActObject(input);
    const instruction = isAction ? null : text("act: the instruction", input);
    const action = isAction ? valueText("act: the action", input) : null;
    const { given, page } = await this.#options(options);
    return JSON.parse(await answered(() => this.#native.act(instruction, action, given, page))) as ActResult;
  }

  /**
   * Finds what the instruction describes, each as an {@link Action} that {@link act} does without a model. Without
   * an instruction it finds what can be used on the page.
   */
  observe(options?: ObserveOptions): Promise<Action[]>;
  observe(instruction?: string, options?: ObserveOptions): Promise<Action[]>;
  async observe(first?: string | ObserveOptions, second?: ObserveOptions): Promise<Action[]> {
    const instruction = typeof first === "object" ? "" : text("observe: the instruction", first ?? "");
    const options = optionsObject("options", typeof first === "object" ? first : second);
    refuseInstructionIn("observe", options);
    const { given, page } = await this.#options(options);
    return carrying<Action[]>(await answered(() => this.#native.observe(instruction, given, page)));
  }

  /** The page as text, without a model. */
  extract(options?: ExtractOptions): Promise<PageText>;
  /** What the instruction describes, as text. */
  extract(instruction: string, options?: ExtractOptions): Promise<Extraction>;
  /**
   * What the instruction describes, as the schema has it: Zod 3 or 4, another Standard Schema, or a JSON Schema.
   *
   * @throws SchemaValidationError, LLMResponseError, ExtractTimeoutError, MissingLLMConfigurationError, …
   */
  extract<S extends Schema>(instruction: string, schema: S, options?: ExtractOptions): Promise<Infer<S>>;
  extract<T>(instruction: string, schema: JsonSchema, options?: ExtractOptions): Promise<T>;
  async extract(
    first?: string | ExtractOptions,
    second?: Schema | ExtractOptions,
    third?: ExtractOptions,
  ): Promise<unknown> {
    const { instruction, schema, options } = sorted(first, second, third);
    const { given, page } = await this.#options(options);
    if (instruction === undefined && schema === undefined) {
      const { pageText, cacheStatus } = await answered(() => this.#native.pageText(given, page));
      return cacheStatus === undefined ? { pageText } : { pageText, cacheStatus: JSON.parse(cacheStatus) as unknown };
    }
    const jsonSchema = schema === undefined ? null : valueText("extract: the schema", toJsonSchema(schema));
    const answer = await answered(() => this.#native.extract(instruction ?? "", jsonSchema, given, page));
    if (schema === undefined) return JSON.parse(answer) as Extraction;
    const { value, cacheStatus } = JSON.parse(answer) as Told<unknown>;
    return marked(await validated(schema, value), cacheStatus);
  }

  /** As {@link extract}, with the places on the page that each part of the answer stands on. No further model call. */
  extractWithProvenance(instruction: string, options?: ExtractOptions): Promise<WithProvenance<string>>;
  extractWithProvenance<S extends Schema>(
    instruction: string,
    schema: S,
    options?: ExtractOptions,
  ): Promise<WithProvenance<Infer<S>>>;
  extractWithProvenance<T>(instruction: string, schema: JsonSchema, options?: ExtractOptions): Promise<WithProvenance<T>>;
  async extractWithProvenance(
    first: string,
    second?: Schema | ExtractOptions,
    third?: ExtractOptions,
  ): Promise<WithProvenance<unknown>> {
    const { instruction, schema, options } = sorted(first, second, third);
    const { given, page } = await this.#options(options);
    const jsonSchema = schema === undefined ? null : valueText("extract: the schema", toJsonSchema(schema));
    const found = JSON.parse(
      await answered(() => this.#native.extractWithProvenance(instruction ?? "", jsonSchema, given, page)),
    ) as WithProvenance<unknown>;
    return schema === undefined ? found : { ...found, value: await validated(schema, found.value) };
  }

  /**
   * An agent, which does tasks of many steps on its own: it looks at the page, acts, and looks again, until the task is
   * done or a limit is reached. Nothing is done until it is told to `execute` something.
   *
   * ```ts
   * const { success, message } = await automator.agent().execute("put the cheapest desk lamp into the basket");
   * ```
   *
   * @throws AutomatorInvalidArgumentError for a configuration that cannot be used.
   */
  agent(config: AgentConfig & { stream: true }): StreamingAgentInstance;
  agent(config?: AgentConfig & { stream?: false | undefined }): AgentInstance;
  agent(config: AgentConfig): AgentInstance | StreamingAgentInstance;
  agent(config?: AgentConfig): AgentInstance | StreamingAgentInstance {
    const { tools, ...plain } = optionsObject("config", config);
    const { traits, calling } = nativeTools(tools);
    const given = optionsText("config", plain);
    const agent = answeredAtOnce(() => this.#native.agent(given, traits, calling));
    const made = new Agent(agent, plain.stream === true, (options) => this.#options(options));
    return made as AgentInstance | StreamingAgentInstance;
  }

  /** Options as the native half takes them: a page goes by its target id. */
  async #options<T extends { page?: unknown }>(options: T): Promise<{ given: string; page: string | null }> {
    const { page, ...plain } = optionsObject("options", options);
    const given = optionsText("options", plain);
    if (page === undefined || page === null) return { given, page: null };
    if (page instanceof Page) {
      if (page.session !== this) {
        throw new AutomatorInvalidArgumentError("options.page is a page of another session");
      }
      return { given, page: page.targetId() };
    }
    return { given, page: await targetIdOf(page) };
  }
}

/** A value as the native half tells it. */
interface Told<T> {
  value: T;
  cacheStatus?: "HIT" | "MISS";
}

/** The value of a text, with what the platform's cache says of it. */
function carrying<T>(text: string): T {
  const { value, cacheStatus } = JSON.parse(text) as Told<T>;
  return marked(value, cacheStatus);
}

/** Has a result say whether it came from the platform's cache: a member of an object, a hidden one of an array. */
function marked<T>(value: T, cacheStatus: "HIT" | "MISS" | undefined): T {
  const canCarry = typeof value === "object" && value !== null && Object.isExtensible(value);
  if (cacheStatus !== undefined && canCarry && !("cacheStatus" in value)) {
    Object.defineProperty(value, "cacheStatus", {
      value: cacheStatus,
      enumerable: !Array.isArray(value),
      configurable: true,
      writable: true,
    });
  }
  return value;
}

/** The arguments of `extract` by what they are. */
function sorted(
  first: string | ExtractOptions | undefined,
  second: Schema | ExtractOptions | undefined,
  third: ExtractOptions | undefined,
): { instruction: string | undefined; schema: Schema | undefined; options: ExtractOptions } {
  if (typeof first === "object" && first !== null && second === undefined && !isSchema(first)) {
    refuseInstructionIn("extract", first);
    return { instruction: undefined, schema: undefined, options: first };
  }
  refuseShape("extract", second);
  const instruction = first === undefined || first === null ? undefined : text("extract: the instruction", first);
  if (third === undefined && !isSchema(second)) {
    const options = optionsObject("options", second);
    refuseInstructionIn("extract", options);
    return { instruction, schema: undefined, options };
  }
  if (second !== undefined && second !== null && !isSchema(second)) {
    throw new AutomatorInvalidArgumentError(`extract: the second argument must be a schema, not ${kindOf(second)}`);
  }
  return { instruction, schema: second ?? undefined, options: third ?? {} };
}
