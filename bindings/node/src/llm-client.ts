/** Model clients of the user's own. */

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

/** What a model answered: its text, or all that is known of it. */
export type LLMReply =
  | string
  | {
      /** The text; with a `responseFormat` it is JSON. */
      text?: string;
      /** Calls of tools. */
      toolCalls?: { id?: string; name: string; arguments: unknown }[];
      /** What the call cost. */
      tokens?: { prompt?: number; completion?: number; reasoning?: number; cachedInput?: number };
      /** Why the model stopped. Default: `stop`. */
      finish?: "stop" | "length" | "refused" | "toolCalls";
      /** The model that answered. */
      model?: string;
    };

/**
 * Answers requests in place of a provider. It need not retry, repair or check an answer: the library does that for
 * every client alike.
 */
export interface LLMClient {
  /** The model as `provider/model`, for errors and logs. */
  modelName: string;
  /** Whether pictures may be sent. Default: true. */
  acceptsImages?: boolean;
  /** How many tokens prompt and answer may have together. */
  contextWindow?: number;
  /** Sends one request. */
  generate(request: LLMRequest): Promise<LLMReply> | LLMReply;
}

/** The client's function as the native half calls it. */
export function answering(client: LLMClient): (request: string) => Promise<string> {
  return async (request) => JSON.stringify((await client.generate(JSON.parse(request) as LLMRequest)) ?? "");
}
