/** What functions of the user have thrown: anything at all, also what is no error, or one of another realm. */

/** What the native half reports by number. Not all of it is asked for: what was tried again with success is not. */
const kept = new Map<number, unknown>();
const MOST_KEPT = 1_000;
let last = 0;

/** Keeps something that was thrown; the native half takes the number along in its place. */
export function keep(thrown: unknown): number {
  last = (last + 1) % 0xffff_ffff;
  kept.set(last, thrown);
  for (const oldest of kept.keys()) {
    if (kept.size <= MOST_KEPT) break;
    kept.delete(oldest);
  }
  return last;
}

/** What was kept under a number, which it no longer is. */
export function takeBack(number: number): unknown {
  const thrown = kept.get(number);
  kept.delete(number);
  return thrown;
}

/** A member of something that may be anything; undefined also when reading it throws. */
export function memberOf(value: unknown, name: string): unknown {
  if ((typeof value !== "object" && typeof value !== "function") || value === null) return undefined;
  try {
    return (value as Record<string, unknown>)[name];
  } catch {
    return undefined;
  }
}

/** What was thrown in words: the message of an error, and for all else what it is. Members are not told: keys may be
 * among them. */
export function wordsOf(thrown: unknown): string {
  const message = memberOf(thrown, "message");
  if (typeof message === "string" && message !== "") return message;
  switch (typeof thrown) {
    case "string":
      return thrown === "" ? "an empty text was thrown" : thrown;
    case "object": {
      const name = memberOf(thrown, "name");
      if (thrown === null) return "null was thrown";
      return typeof name === "string" && name !== "" ? name : "an object without a message was thrown";
    }
    case "function":
    case "symbol":
      return `a ${typeof thrown} was thrown`;
    default:
      return `${String(thrown)} was thrown`;
  }
}
