/** Lines of the log. */

import { called } from "./callback";

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

/** The user's logger as the native half calls it. */
export function guarded(logger: (line: LogLine) => void): (line: string) => void {
  return (line) => void called("the logger", logger, JSON.parse(line) as LogLine);
}

/** Writes a line to the standard error output, for programs that ask for a log and have no logger. */
export function toStandardError(line: LogLine): void {
  const details = Object.entries(line.auxiliary).map(([name, { value }]) => ` ${name}=${value}`);
  process.stderr.write(`${line.timestamp} ${line.category}: ${line.message}${details.join("")}\n`);
}
