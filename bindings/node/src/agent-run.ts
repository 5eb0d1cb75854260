/** One run of an agent, from its begin to its end. */

import type { AgentCallbacks } from "./agent-options";
import type { AgentEvent, AgentResult, AgentStep, AgentStreamResult, AgentToolCall, AgentToolResult } from "./agent-result";
import { called } from "./callback";
import { AgentAbortError, answered, SchemaValidationError } from "./errors";
import type { NativeAgentRun } from "./native";
import { type Schema, validated } from "./schema";
import { memberOf, wordsOf } from "./thrown";

/** What happens in a run, for those who are told, and its end as this half knows it. */
export class Course {
  readonly #callbacks: AgentCallbacks;
  readonly #schema: Schema | undefined;
  readonly #steps: AgentStep[] = [];
  readonly #feed = new Feed<AgentEvent>();
  #calls: AgentToolCall[] = [];
  #results: AgentToolResult[] = [];

  constructor(callbacks: AgentCallbacks, schema: Schema | undefined) {
    this.#callbacks = callbacks;
    this.#schema = schema;
  }

  /** An event as the native half tells it. How the run ended is told in {@link run}, where all of it is known. */
  hear(told: string): void {
    if (told === "") return;
    const event = JSON.parse(told) as AgentEvent;
    switch (event.type) {
      case "finish":
      case "error":
      case "abort":
        return;
      case "tool-call":
        this.#calls.push(event);
        break;
      case "tool-result":
        this.#results.push(event);
        break;
      case "finish-step":
        this.#finishStep(event);
        break;
    }
    this.#feed.push(event);
    if (event.type === "text-delta" || event.type === "tool-call" || event.type === "tool-result") {
      this.#call("onChunk", { chunk: event });
    }
  }

  #finishStep({ step, text, usage }: AgentEvent & { type: "finish-step" }): void {
    const finished: AgentStep = {
      step,
      text,
      toolCalls: this.#calls,
      toolResults: this.#results,
      finishReason: this.#calls.length > 0 ? "tool-calls" : "stop",
      usage,
    };
    this.#calls = [];
    this.#results = [];
    this.#steps.push(finished);
    this.#call("onStepFinish", finished);
  }

  /** Runs it to its end. */
  async run(run: NativeAgentRun, signal: AbortSignal | undefined): Promise<AgentResult> {
    const abort = (): void => run.abort(reasonOf(signal));
    if (signal?.aborted === true) abort();
    signal?.addEventListener("abort", abort);
    try {
      const result = JSON.parse(await answered(() => run.result())) as AgentResult;
      if (this.#schema !== undefined && result.output !== undefined) {
        try {
          result.output = await validated(this.#schema, result.output, "agent");
        } catch (error) {
          if (error instanceof SchemaValidationError) error.result = result;
          throw error;
        }
      }
      this.#feed.push({ type: "finish", result });
      this.#call("onFinish", result);
      return result;
    } catch (error) {
      if (error instanceof AgentAbortError) {
        if (signal !== undefined) withCause(error, signal.reason);
        this.#feed.push({ type: "abort", error });
        this.#call("onAbort", { error, steps: this.#steps });
      } else {
        this.#feed.push({ type: "error", error });
        this.#call("onError", { error });
      }
      throw error;
    } finally {
      signal?.removeEventListener("abort", abort);
      this.#feed.end();
    }
  }

  /** The run as a stream, once something has happened; a run that could not begin rejects. */
  async asStream(result: Promise<AgentResult>): Promise<AgentStreamResult> {
    // Those who only read the streams need not look at it.
    result.catch(() => undefined);
    const first = await this.#feed.first();
    if (first === undefined || first.type === "error" || first.type === "abort") await result;
    return { textStream: textOf(this.#feed), fullStream: this.#feed, result };
  }

  #call<Name extends keyof AgentCallbacks>(
    name: Name,
    argument: Parameters<NonNullable<AgentCallbacks[Name]>>[0],
  ): void {
    const callback = this.#callbacks[name] as ((given: typeof argument) => unknown) | null | undefined;
    if (callback !== undefined && callback !== null) void called(`${name} of an agent`, callback, argument);
  }
}

/** Why a signal was given; nothing for one that was given without a reason. */
function reasonOf(signal: AbortSignal | undefined): string {
  const reason: unknown = signal?.reason;
  return reason === undefined || memberOf(reason, "name") === "AbortError" ? "" : wordsOf(reason);
}

function withCause(error: Error, cause: unknown): void {
  Object.defineProperty(error, "cause", { value: cause, configurable: true, writable: true, enumerable: false });
}

function textOf(events: AsyncIterable<AgentEvent>): AsyncIterable<string> {
  return {
    async *[Symbol.asyncIterator]() {
      for await (const event of events) {
        if (event.type === "text-delta") yield event.text;
      }
    },
  };
}

/** Keeps what it is given for all who read it, whenever they begin. */
class Feed<T> implements AsyncIterable<T> {
  readonly #items: T[] = [];
  #isOver = false;
  #waiting: (() => void)[] = [];

  push(item: T): void {
    this.#items.push(item);
    this.#wake();
  }

  end(): void {
    this.#isOver = true;
    this.#wake();
  }

  /** What comes first; undefined when nothing does. */
  async first(): Promise<T | undefined> {
    for await (const item of this) return item;
    return undefined;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, void> {
    for (let index = 0; ; index += 1) {
      while (index >= this.#items.length) {
        if (this.#isOver) return;
        await new Promise<void>((resolve) => this.#waiting.push(resolve));
      }
      yield this.#items[index] as T;
    }
  }

  #wake(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resolve of waiting) resolve();
  }
}
