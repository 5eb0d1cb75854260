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

/**
 * A function whose promises live until they settle, as long as the function itself. Nothing else may hold the promise of
 * a function of the user that never answers: it would be collected as garbage, at a time that nobody chooses, and the
 * native half would take that for an answer.
 *
 * @param answer - It never rejects.
 */
export function lasting(answer: (request: string) => Promise<string>): (request: string) => Promise<string> {
  const open = new Set<Promise<string>>();
  return (request) => {
    const answering = answer(request);
    open.add(answering);
    void answering.finally(() => open.delete(answering));
    return answering;
  };
}

/** Reports what a function of the user has thrown; the first time only. */
export function warnOnce(what: string, thrower: object, error: unknown): void {
  if (failed.has(thrower)) return;
  failed.add(thrower);
  const stack = memberOf(error, "stack");
  const reason = typeof stack === "string" ? stack : wordsOf(error);
  process.emitWarning(`${what} failed, which is not told again: ${reason}`, { type: "AutomatorWarning" });
}
