/** Agents: they do tasks of many steps on their own. */

import type { AgentCallbacks, AgentConfirmRequest, AgentExecuteOptions } from "./agent-options";
import type { AgentResult, AgentStreamResult } from "./agent-result";
import { Course } from "./agent-run";
import { lasting, warnOnce } from "./callback";
import { refuseShape } from "./earlier";
import { answeredAtOnce, AutomatorInvalidArgumentError } from "./errors";
import { kindOf, optionsObject, text } from "./json";
import type { NativeAgent } from "./native";
import { nearest } from "./nearest";
import { type Infer, isSchema, type JsonSchema, type Schema, toJsonSchema } from "./schema";
import { memberOf } from "./thrown";

/** An agent. */
export interface AgentInstance {
  /**
   * Does a task. That it could not be done, and that a limit was reached, is no error: the result says so.
   *
   * @throws AgentAbortError, AutomatorInvalidArgumentError, ExperimentalNotConfiguredError,
   *   MissingLLMConfigurationError, AutomatorNotInitializedError; SchemaValidationError when the caller's own schema
   *   refuses the `output`: its `result` holds what the run came to.
   */
  execute<S extends Schema>(options: AgentExecuteOptions<S> & { output: S }): Promise<AgentResult<Infer<S>>>;
  execute<T>(options: AgentExecuteOptions<JsonSchema> & { output: JsonSchema }): Promise<AgentResult<T>>;
  execute(task: string | AgentExecuteOptions): Promise<AgentResult>;
}

/** An agent whose runs are streams. */
export interface StreamingAgentInstance {
  /** Begins a task; as {@link AgentInstance.execute}, but what goes wrong after the first step is told by the stream. */
  execute<S extends Schema>(options: AgentExecuteOptions<S> & { output: S }): Promise<AgentStreamResult<Infer<S>>>;
  execute<T>(options: AgentExecuteOptions<JsonSchema> & { output: JsonSchema }): Promise<AgentStreamResult<T>>;
  execute(task: string | AgentExecuteOptions): Promise<AgentStreamResult>;
}

/** Options as the native half takes them: a page goes by its target id. */
type Reading = (options: object) => Promise<{ given: string; page: string | null }>;

/** @internal An agent of a session. */
export class Agent {
  readonly #native: NativeAgent;
  readonly #isStreaming: boolean;
  readonly #read: Reading;

  constructor(native: NativeAgent, isStreaming: boolean, read: Reading) {
    this.#native = native;
    this.#isStreaming = isStreaming;
    this.#read = read;
  }

  async execute(task: string | AgentExecuteOptions): Promise<AgentResult | AgentStreamResult> {
    const { output, signal, callbacks, confirm, ...plain } = taskOf(task);
    const schema = schemaOf(output);
    checkSignal(signal);
    checkCallbacks(callbacks);
    if (!isNothing(confirm) && typeof confirm !== "function") {
      throw new AutomatorInvalidArgumentError(`options.confirm must be a function, not ${kindOf(confirm)}`);
    }
    const { given, page } = await this.#read(
      schema === undefined ? plain : { ...plain, output: toJsonSchema(schema) },
    );
    const course = new Course(callbacks ?? {}, schema);
    const isHeard = this.#isStreaming || !isNothing(callbacks);
    const run = answeredAtOnce(() =>
      this.#native.execute(
        given,
        page,
        isHeard ? (event) => course.hear(event) : null,
        isNothing(confirm) ? null : asking(confirm),
        !isNothing(signal),
      ),
    );
    const result = course.run(run, signal ?? undefined);
    return this.#isStreaming ? await course.asStream(result) : await result;
  }
}

function isNothing(value: unknown): value is null | undefined {
  return value === undefined || value === null;
}

function taskOf(task: string | AgentExecuteOptions): AgentExecuteOptions {
  if (typeof task === "string") return { instruction: text("agent: the task", task) };
  if (isNothing(task)) {
    throw new AutomatorInvalidArgumentError(`agent: the task must be a text or options, not ${kindOf(task)}`);
  }
  return optionsObject("options", task);
}

function schemaOf(output: unknown): Schema | undefined {
  if (isNothing(output)) return undefined;
  refuseShape("agent: options.output", output);
  if (isSchema(output)) return output;
  if (typeof output === "object" && !Array.isArray(output) && Object.keys(output as object).length === 0) {
    throw new AutomatorInvalidArgumentError("options.output is {}, which any value fits: say what it is to hold");
  }
  throw new AutomatorInvalidArgumentError(`options.output must be a schema, not ${kindOf(output)}`);
}

function checkSignal(signal: unknown): void {
  if (isNothing(signal)) return;
  const isSignal =
    typeof memberOf(signal, "aborted") === "boolean" && typeof memberOf(signal, "addEventListener") === "function";
  if (isSignal) return;
  throw new AutomatorInvalidArgumentError(`options.signal must be an AbortSignal, not ${kindOf(signal)}`);
}

const CALLBACKS: readonly (keyof AgentCallbacks)[] = ["onStepFinish", "onChunk", "onFinish", "onError", "onAbort"];

function checkCallbacks(callbacks: unknown): void {
  for (const [name, callback] of Object.entries(optionsObject("options.callbacks", callbacks))) {
    if (!(CALLBACKS as readonly string[]).includes(name)) {
      const meant = nearest(name, CALLBACKS);
      const hint = meant === undefined ? `there are ${CALLBACKS.join(", ")}` : `did you mean "${meant}"?`;
      throw new AutomatorInvalidArgumentError(`options.callbacks has no member "${name}" (${hint})`, { hint });
    }
    if (!isNothing(callback) && typeof callback !== "function") {
      throw new AutomatorInvalidArgumentError(`options.callbacks.${name} must be a function, not ${kindOf(callback)}`);
    }
  }
}

/** The function that is asked as the native half calls it. It never rejects. */
function asking(confirm: NonNullable<AgentExecuteOptions["confirm"]>): (request: string) => Promise<string> {
  return lasting(async (request) => {
    try {
      return String((await confirm(JSON.parse(request) as AgentConfirmRequest)) === true);
    } catch (error) {
      warnOnce("confirm of an agent", confirm, error);
      return "false";
    }
  });
}
