/** Lines of the log. */

/** One line of the log. */
export interface LogLine {
  /** The part of the library that speaks: `init`, `page`, `action`, `extraction`, `llm`, … */
  category: string;
  /** What it says. */
  message: string;
  /** From which `verbose` on it is said. */
  level: 0 | 1 | 2;
  /** When: ISO 8601, UTC, milliseconds. */
  timestamp: string;
  /** Details by name. */
  auxiliary: Record<string, { value: string; type: "object" | "string" | "html" | "integer" | "float" | "boolean" }>;
}

/** The user's logger as the native half calls it; one that throws harms nothing. */
export function guarded(logger: (line: LogLine) => void): (line: string) => void {
  return (line) => {
    try {
      logger(JSON.parse(line) as LogLine);
    } catch {
      // A log line is not worth an operation.
    }
  };
}
