// @ts-check
/**
 * Waits until the document has come to rest, as `begin` counts it.
 * @this {import('./library.d.ts').Library}
 * @returns {Promise<void>}
 */
async function settled() {
  for (;;) {
    const rest = (this.restsAt?.() ?? 0) - performance.now();
    if (rest <= 0) {
      return;
    }
    await new Promise((resolve) => setTimeout(resolve, rest));
  }
}
