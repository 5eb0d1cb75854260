/** Scripts that run before those of a page. */

import { optionsText } from "./json";

/** The source of a script, a function, or a file. */
export type InitScript<Argument = unknown> =
  | string
  | ((argument: Argument) => unknown)
  | { path: string }
  | { content: string };

/** The script as the core reads it. */
export function initScriptText(script: InitScript<never>, argument: unknown): string {
  if (typeof script === "string") return optionsText("script", { content: script, argument });
  if (typeof script === "function") return optionsText("script", { function: String(script), argument });
  return optionsText("script", { ...(script as object), argument });
}
