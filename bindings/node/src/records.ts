/** What a session remembers of itself. */

type Group = "act" | "extract" | "observe" | "agent" | "total";
type Counter = "PromptTokens" | "CompletionTokens" | "ReasoningTokens" | "CachedInputTokens" | "InferenceTimeMs";

/** Tokens and time of the AI operations, by group: `actPromptTokens`, `totalInferenceTimeMs`, … */
export type AutomatorMetrics = { readonly [Name in `${Group}${Counter}`]: number };

/** One operation of a session. */
export interface HistoryEntry {
  /** What was called. */
  readonly method: "act" | "extract" | "observe" | "navigate";
  /** With what; never holds a secret. */
  readonly parameters: unknown;
  /** What came of it; null when nothing did. */
  readonly result: unknown;
  /** When it ended: ISO 8601, UTC, milliseconds. */
  readonly timestamp: string;
}
