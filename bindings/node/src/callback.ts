/** Functions of the user that we call: one that throws or hangs harms nothing but itself. */

import { memberOf, wordsOf } from "./thrown";

const failed = new WeakSet<object>();

/**
 * Calls a function of the user; one that throws, or promises and fails, is reported once as a warning of the process.
 * The promise settles when the function is through, and never rejects.
 */
export async function called<Argument>(
  what: string,
  listener: (argument: Argument) => unknown,
  argument: Argument,
): Promise<void> {
  try {
    await listener(argument);
  } catch (error) {
    warnOnce(what, listener, error);
  }
}

/** Reports what a function of the user has thrown; the first time only. */
export function warnOnce(what: string, thrower: object, error: unknown): void {
  if (failed.has(thrower)) return;
  failed.add(thrower);
  const stack = memberOf(error, "stack");
  const reason = typeof stack === "string" ? stack : wordsOf(error);
  process.emitWarning(`${what} failed, which is not told again: ${reason}`, { type: "AutomatorWarning" });
}
