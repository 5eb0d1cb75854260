// @ts-check
/**
 * How many key events have arrived since the focus was set.
 * @this {import('./library').Library}
 * @returns {number}
 */
function keysArrived() {
  return this.unwatchKeys?.() ?? -1;
}
