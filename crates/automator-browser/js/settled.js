// @ts-check
/**
 * Waits until nothing has happened in the document for so many milliseconds, as `begin` counts it. What its listeners
 * put off at a press comes first.
 * @this {import('./library.d.ts').Library}
 * @param {number} quietMs
 * @returns {Promise<void>}
 */
async function settled(quietMs) {
  if (this.owesTurn) {
    this.owesTurn = false;
    await this.takeTurn();
  }
  for (;;) {
    const rest = (this.restsAt?.(quietMs) ?? 0) - performance.now();
    if (rest <= 0) {
      return;
    }
    await new Promise((resolve) => setTimeout(resolve, rest));
  }
}
