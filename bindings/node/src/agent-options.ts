/** Options of agents and of their runs. What they mean is decided in the core. */

import type { AgentChunk, AgentResult, AgentStep } from "./agent-result";
import type { AutomatorError } from "./errors";
import type { AnyPage, ModelConfiguration, Variable } from "./options";
import type { Infer, Schema } from "./schema";

/**
 * How an agent sees pages and what it does them with: `dom` reads pages as text and names elements, `hybrid` looks at
 * pictures besides and points at places in them, `cua` is for models made for using computers.
 */
export type AgentMode = "dom" | "hybrid" | "cua";

/** The arguments that a tool gets: what its schema makes of them. */
export type ToolInput<S> = unknown extends Infer<S> ? any : Infer<S>;

/** What a tool is told of its call. */
export interface AgentToolContext {
  /** Aborted when nobody waits for the call any more: its limit of time was reached, or the run has ended. */
  abortSignal: AbortSignal;
}

/**
 * A tool of one's own. What it throws is told to the model, which may go on. Written as for the common AI libraries,
 * so that their tools can be used.
 */
export interface AgentTool<S = any> {
  /** What it does and when to use it, for the model. */
  description?: string | undefined;
  /**
   * What it takes, an object: a schema of Zod 3 or 4, another Standard Schema, or a JSON Schema. Default: nothing.
   * What the model writes is held against the first two; a JSON Schema is for the model alone.
   */
  inputSchema?: S | undefined;
  /** Another name of `inputSchema`. */
  parameters?: S | undefined;
  /** Does it. A text goes to the model as it is, all else as JSON. */
  execute(input: ToolInput<S>, context: AgentToolContext): unknown;
}

/** Gives a tool back as it is, with the type of its arguments taken from its schema. */
export function tool<S extends Schema>(tool: AgentTool<S>): AgentTool<S> {
  return tool;
}

/** A server of tools that is started as a program, and talked to over its standard input and output. */
export interface AgentIntegration {
  /** The program. */
  command: string;
  /** Its arguments. */
  args?: readonly string[] | undefined;
  /** Variables of its environment, besides those of this program. */
  env?: Readonly<Record<string, string>> | undefined;
}

/** What an agent is made of. */
export interface AgentConfig {
  /**
   * The model that decides. Default: that of the session. Its option `price` (`{ input, cachedInput, output }`, a
   * million tokens each) is what `maxCost` counts with.
   */
  model?: ModelConfiguration | undefined;
  /** The model of the `act`, `observe` and `extract` calls inside. Default: the agent's. */
  executionModel?: ModelConfiguration | undefined;
  /** Instructions for every run, besides those of the session. */
  systemPrompt?: string | undefined;
  /** Default: `hybrid` for models known to point well, else `dom`. */
  mode?: AgentMode | undefined;
  /** Tools of your own by name, besides the built-in ones. Needs `experimental`. */
  tools?: Readonly<Record<string, AgentTool>> | undefined;
  /**
   * Servers of tools by the Model Context Protocol, connected for each run and ended with it: the address of one, or a
   * program to start. Needs `experimental`.
   */
  integrations?: readonly (string | AgentIntegration)[] | undefined;
  /** Whether `execute()` gives a stream. Default: false. Needs `experimental`. */
  stream?: boolean | undefined;
}

/** What an agent asks before it does it. */
export interface AgentConfirmRequest {
  /** What it comes to. `safety`: the provider of a model that uses computers has doubts, and wants them confirmed. */
  kind: "purchase" | "delete" | "send" | "upload" | "download" | "safety";
  /** What is about to be done, such as `click "Place order"`. The words of the element are the page's. */
  description: string;
  /** The element; empty for keys that go to whatever has the focus. */
  selector: string;
  /** The address of the page. */
  url: string;
}

/** Told what happens while it happens. One that throws or hangs harms nothing but itself. */
export interface AgentCallbacks {
  /** All calls of a step are over. */
  onStepFinish?: ((step: AgentStep) => unknown) | undefined;
  /** A piece of what the model says, a call of a tool, or what came of it. */
  onChunk?: ((event: { chunk: AgentChunk }) => unknown) | undefined;
  /** The run is over; it has come to this. */
  onFinish?: ((result: AgentResult) => unknown) | undefined;
  /** The run broke off, or could not begin: `execute` rejects with this. A model that fails ends it in `onFinish`. */
  onError?: ((event: { error: unknown }) => unknown) | undefined;
  /** The run was ended by its signal, after these steps. */
  onAbort?: ((event: { error: AutomatorError; steps: AgentStep[] }) => unknown) | undefined;
}

/** A message of a conversation, as a run gives it in `messages`; those of the common AI libraries are understood, too. */
export interface AgentMessage {
  role: "system" | "user" | "assistant" | "tool";
  content: string | readonly { type: string; [member: string]: unknown }[];
}

/** What one run of an agent is to do, and within which limits. */
export interface AgentExecuteOptions<S = Schema> {
  /** What to do, in words. */
  instruction: string;
  /** How many times the model may decide. Default: 20. */
  maxSteps?: number | undefined;
  /** The page to begin on; tabs that it opens are followed. Default: whichever page is active, at each step. */
  page?: AnyPage | undefined;
  /**
   * Values for `%name%`. The model is told the names and what they are for, never a value. Values of fewer than 3
   * characters are not masked where pages show them.
   */
  variables?: Record<string, Variable> | undefined;
  /** The limit of time of each call of a tool in milliseconds; 0 is none. Default: 45000. */
  toolTimeout?: number | undefined;
  /** Names of tools that are not offered. Needs `experimental`. */
  excludeTools?: readonly string[] | undefined;
  /** The schema of the result's `output`, as `extract()` takes it. Needs `experimental`. */
  output?: S | undefined;
  /** Ends the run from outside, with an AgentAbortError. Needs `experimental`. */
  signal?: AbortSignal | undefined;
  /** Told what happens while it happens. Needs `experimental`. */
  callbacks?: AgentCallbacks | undefined;
  /**
   * The `messages` of an earlier run, which this one goes on with, or those of the AI SDK; what cannot be sent is
   * refused by its place. Needs `experimental`.
   */
  messages?: readonly AgentMessage[] | undefined;
  /** Shows in the window where the agent points, for people who watch. Default: false. */
  highlightCursor?: boolean | undefined;
  /** A search of the web. There is none built in: true is refused. Default: false. */
  useSearch?: boolean | undefined;
  /** The limit of time of the whole run in milliseconds; 0 is none. Default: none. */
  timeout?: number | undefined;
  /** The most tokens that all model calls of the run may take together; looked at between calls. Default: no limit. */
  maxTokens?: number | undefined;
  /** The most that they may cost together, in the unit of the models' `price`. Default: no limit. */
  maxCost?: number | undefined;
  /**
   * Asked before purchases, deletions, messages, uploads and downloads. Only `true` is a yes: whatever else it gives,
   * and what it throws, is a no, and the model is told. A promise is waited for until it settles, or the run's own
   * `timeout` or `signal` ends the run. Default: all is allowed.
   */
  confirm?: ((request: AgentConfirmRequest) => boolean | Promise<boolean>) | undefined;
}
