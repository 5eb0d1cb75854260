// @ts-check
/**
 * Waits until the document has come to rest, as `begin` counts it. What its listeners put off at a press comes first.
 * @this {import('./library.d.ts').Library}
 * @returns {Promise<void>}
 */
async function settled() {
  if (this.owesTurn) {
    this.owesTurn = false;
    await this.takeTurn();
  }
  for (;;) {
    const rest = (this.restsAt?.() ?? 0) - performance.now();
    if (rest <= 0) {
      return;
    }
    await new Promise((resolve) => setTimeout(resolve, rest));
  }
}
