/** What comes of runs of agents, and what happens in them. */

import type { AgentMessage } from "./agent-options";

/** Tokens and time of the agent's own model calls. */
export interface AgentUsage {
  /** Tokens sent. */
  input_tokens: number;
  /** Tokens written by the model, those of reasoning included. */
  output_tokens: number;
  /** The part of them that was reasoning. */
  reasoning_tokens: number;
  /** The tokens sent that the provider had cached. */
  cached_input_tokens: number;
  /** Milliseconds of waiting for the model. */
  inference_time_ms: number;
}

/** One call of a tool: besides these members it has the arguments, and what came of the call. */
export interface AgentAction {
  /** The tool, as `act`; the judgement at the end is `done`. */
  type: string;
  /** What the model said to it. */
  reasoning?: string;
  /** Whether the task was done with it: only ever true of `done`. */
  taskCompleted: boolean;
  /** The address of the page afterwards. */
  pageUrl: string;
  /** When it was over: milliseconds since 1970. */
  timestamp: number;
  [member: string]: unknown;
}

/** What came of a run. */
export interface AgentResult<T = unknown> {
  /** Whether the task was done, as the model judges at the end. */
  success: boolean;
  /** The same as `success`. */
  completed: boolean;
  /** What came of it, or what stopped it. */
  message: string;
  /** What was done, in order. */
  actions: AgentAction[];
  /** What the agent's own model calls cost; those of calls inside are in their own groups of the metrics. */
  usage: AgentUsage;
  /** The conversation, for `messages` of a run that goes on with it. */
  messages: AgentMessage[];
  /** What the schema asked for; present when there was one and the run came to its end. */
  output?: T;
}

/** The model calls a tool, or what it did in an earlier run is done again from memory. */
export interface AgentToolCall {
  type: "tool-call";
  step: number;
  toolCallId: string;
  toolName: string;
  input: unknown;
}

/** What came of a call. */
export interface AgentToolResult {
  type: "tool-result";
  step: number;
  toolCallId: string;
  toolName: string;
  action: AgentAction;
  /** Whether it did not work. */
  isError: boolean;
}

/** What `onChunk` gets. */
export type AgentChunk = { type: "text-delta"; step: number; text: string } | AgentToolCall | AgentToolResult;

/** Something that happened in a run. Steps are counted from 1; values of variables are told by their names. */
export type AgentEvent<T = unknown> =
  | { type: "start-step"; step: number }
  | AgentChunk
  | { type: "finish-step"; step: number; text: string; usage: AgentUsage }
  | { type: "finish"; result: AgentResult<T> }
  | { type: "error"; error: unknown }
  | { type: "abort"; error: unknown };

/** One turn of the model, and what its calls came to. */
export interface AgentStep {
  /** Counted from 1. */
  step: number;
  /** What the model said. */
  text: string;
  toolCalls: AgentToolCall[];
  toolResults: AgentToolResult[];
  /** Why the model stopped. */
  finishReason: "tool-calls" | "stop";
  /** What the model calls of the agent have cost so far. */
  usage: AgentUsage;
}

/**
 * A run as what happens in it. It goes on whether or not it is read, and both streams can be read, from the start, as
 * often as one likes.
 */
export interface AgentStreamResult<T = unknown> {
  /** What the model says, piece by piece. It ends with the run, however that ends. */
  readonly textStream: AsyncIterable<string>;
  /** All that happens; the last is `finish`, `error` or `abort`. */
  readonly fullStream: AsyncIterable<AgentEvent<T>>;
  /** What came of the run; rejects where `execute()` of an agent without a stream would. */
  readonly result: Promise<AgentResult<T>>;
}
