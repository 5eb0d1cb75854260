// @ts-check
/**
 * Waits until the page's own scripts have nothing left to do at present: what they have put off has its turn before
 * the browser calls a page idle. One that is never idle, and a frame without scripts, are waited for a quarter of a
 * second.
 * @this {import('./library').Library}
 * @returns {Promise<void>}
 */
async function whenIdle() {
  this.owesTurn = false;
  const idle = new Promise((resolve) => {
    requestIdleCallback(resolve);
  });
  await this.withinFrames(idle, 15);
}
