/** Model clients of the user's own. */

import { lasting } from "./callback";
import { AutomatorInvalidArgumentError } from "./errors";
import { jsonText, kindOf } from "./json";
import type { NativeClientTraits } from "./native";
import { nearest } from "./nearest";
import { keep, memberOf, wordsOf } from "./thrown";

/** A piece of a message. */
export type LLMContent =
  | { type: "text"; text: string }
  | { type: "image"; mediaType: string; data: string }
  | { type: "toolCall"; id: string; name: string; arguments: unknown }
  | { type: "toolResult"; id: string; name: string; content: string };

/** What is asked of a model. */
export interface LLMRequest {
  /** The conversation; system messages come first. */
  messages: { role: "system" | "user" | "assistant" | "tool"; content: LLMContent[] }[];
  /** The JSON that is wanted; null for text. */
  responseFormat: { name: string; schema: Record<string, unknown> } | null;
  /** Tools that the model may call. */
  tools: { name: string; description: string; parameters: Record<string, unknown> }[];
  /** The most tokens that the answer may have. */
  maxOutputTokens: number | null;
  /** The sampling temperature. */
  temperature: number | null;
}

/** What a call cost. A count that is no number from 0 on is taken for 0. */
export interface LLMTokens {
  /** Tokens sent. */
  prompt?: number | undefined;
  /** Tokens written, those of reasoning included. */
  completion?: number | undefined;
  /** The part of `completion` that was reasoning. */
  reasoning?: number | undefined;
  /** The part of `prompt` that came from the provider's cache. */
  cachedInput?: number | undefined;
}

/** What a model answered: its text, or all that is known of it. */
export type LLMReply =
  | string
  | {
      /** The text; with a `responseFormat` it is JSON. */
      text?: string | undefined;
      /** Calls of tools. */
      toolCalls?: { id?: string | undefined; name: string; arguments: unknown }[] | undefined;
      /** What the call cost. */
      tokens?: LLMTokens | undefined;
      /** Why the model stopped. Default: `stop`. */
      finish?: "stop" | "length" | "refused" | "toolCalls" | undefined;
      /** The model that answered. */
      model?: string | undefined;
    };

/**
 * Answers requests in place of a provider. It need not retry, repair or check an answer: the library does that for
 * every client alike. What it throws is tried again when it has a `status` (or `statusCode`) of 408, 409, 425, 429 or
 * from 500 on, or the `code` of a broken connection, also in its `cause`; `retryAfter` (seconds) and the header
 * `retry-after` are kept to. All else that it throws ends the call: an LLMResponseError has it as its `cause`.
 */
export interface LLMClient {
  /** The model as `provider/model`, for errors and logs. */
  modelName: string;
  /** Whether pictures may be sent. Default: true. */
  acceptsImages?: boolean | undefined;
  /** How many tokens prompt and answer may have together. */
  contextWindow?: number | undefined;
  /** Sends one request. */
  generate(request: LLMRequest): Promise<LLMReply> | LLMReply;
}

const MEMBERS = ["modelName", "acceptsImages", "contextWindow", "generate"];

/** What the native half has to know of a client, once that is checked. */
export function traitsOf(client: LLMClient): NativeClientTraits {
  const refuse = (problem: string, hint?: string): never => {
    throw new AutomatorInvalidArgumentError(`options.llmClient${problem}`, { hint });
  };
  if ((typeof client !== "object" && typeof client !== "function") || client === null) {
    refuse(` must be an object, not ${kindOf(client)}`);
  }
  // A client may have members of its own; one that is nearly one of ours is a slip of the pen.
  for (const name of Object.keys(client)) {
    const meant = MEMBERS.includes(name) ? undefined : nearest(name, MEMBERS);
    if (meant !== undefined && !(meant in client)) {
      refuse(` has no member "${name}" (did you mean "${meant}"?)`, `did you mean "${meant}"?`);
    }
  }
  const { modelName, acceptsImages, contextWindow, generate } = client as Partial<Record<keyof LLMClient, unknown>>;
  if (typeof generate !== "function") refuse(`.generate must be a function, not ${kindOf(generate)}`);
  if (modelName !== undefined && (typeof modelName !== "string" || modelName.trim() === "")) {
    refuse(`.modelName must be a text that is not empty, not ${kindOf(modelName)}`);
  }
  if (acceptsImages !== undefined && typeof acceptsImages !== "boolean") {
    refuse(`.acceptsImages must be true or false, not ${kindOf(acceptsImages)}`);
  }
  if (contextWindow !== undefined && !isCount(contextWindow)) {
    refuse(`.contextWindow must be a whole number from 1 on, not ${kindOf(contextWindow)}`);
  }
  return {
    modelName: client.modelName ?? "custom/client",
    acceptsImages: client.acceptsImages,
    contextWindow: client.contextWindow,
  };
}

function isCount(value: unknown): boolean {
  return Number.isInteger(value) && (value as number) > 0 && (value as number) <= 0xffff_ffff;
}

/** Why a call gave no answer, as `callback.rs` reads it. */
interface Failure {
  message: string;
  status?: number | undefined;
  isConnection: boolean;
  retryAfterMs?: number | undefined;
  thrown?: number | undefined;
}

/** The client's function as the native half calls it. It never rejects. */
export function answering(client: LLMClient): (request: string) => Promise<string> {
  return lasting(async (request) => {
    let answer: unknown;
    try {
      answer = await client.generate(JSON.parse(request) as LLMRequest);
    } catch (error) {
      return jsonText({ failure: failureOf(error) });
    }
    return written(answer);
  });
}

function written(answer: unknown): string {
  const unusable = (problem: string): string => {
    const failure: Failure = { message: `generate() gave ${problem}`, isConnection: false };
    return jsonText({ failure });
  };
  if (typeof answer !== "string" && (typeof answer !== "object" || answer === null || Array.isArray(answer))) {
    return unusable(`${kindOf(answer)}, not a text or an object with a text`);
  }
  try {
    return jsonText({ answer });
  } catch (error) {
    return unusable(`what cannot be written as JSON: ${wordsOf(error)}`);
  }
}

/** The codes of connections that were not made or broke, of Node and of its `fetch`. */
const CONNECTION_CODES = [
  "ECONNRESET",
  "ECONNREFUSED",
  "ECONNABORTED",
  "ETIMEDOUT",
  "EPIPE",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "UND_ERR_SOCKET",
  "UND_ERR_CONNECT_TIMEOUT",
  "UND_ERR_HEADERS_TIMEOUT",
  "UND_ERR_BODY_TIMEOUT",
];

function failureOf(thrown: unknown): Failure {
  const chain = causes(thrown);
  const first = <T>(read: (error: unknown) => T | undefined): T | undefined => {
    for (const error of chain) {
      const found = read(error);
      if (found !== undefined) return found;
    }
    return undefined;
  };
  return {
    message: wordsOf(thrown),
    status: first(statusOf),
    isConnection: chain.some((error) => CONNECTION_CODES.includes(memberOf(error, "code") as string)),
    retryAfterMs: first(retryAfterOf),
    thrown: keep(thrown),
  };
}

/** An error and what it was caused by. */
function causes(thrown: unknown): unknown[] {
  const chain: unknown[] = [];
  for (let error = thrown; error !== undefined && chain.length < 8; error = memberOf(error, "cause")) chain.push(error);
  return chain;
}

function statusOf(error: unknown): number | undefined {
  const statuses = [
    memberOf(error, "status"),
    memberOf(error, "statusCode"),
    memberOf(memberOf(error, "response"), "status"),
  ];
  const isStatus = (status: unknown): status is number =>
    Number.isInteger(status) && (status as number) >= 100 && (status as number) < 600;
  return statuses.find(isStatus);
}

/** How long an error asks to wait, in milliseconds. */
function retryAfterOf(error: unknown): number | undefined {
  const headers = memberOf(error, "headers") ?? memberOf(memberOf(error, "response"), "headers");
  const header = (name: string): unknown => {
    const get = memberOf(headers, "get");
    return typeof get === "function" ? (get as (name: string) => unknown).call(headers, name) : memberOf(headers, name);
  };
  const milliseconds = count(header("retry-after-ms"));
  if (milliseconds !== undefined) return Math.round(milliseconds);
  const asked = memberOf(error, "retryAfter") ?? header("retry-after");
  const seconds = count(asked);
  if (seconds !== undefined) return Math.round(seconds * 1_000);
  const until = typeof asked === "string" ? Date.parse(asked) : Number.NaN;
  return Number.isNaN(until) ? undefined : Math.max(0, until - Date.now());
}

function count(value: unknown): number | undefined {
  const number = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
  return typeof number === "number" && number >= 0 && number < 1e9 ? number : undefined;
}
