// @ts-check
/**
 * Lets the tasks run that the page has put off so far. In a frame without scripts no timer ends; there a frame that
 * is drawn does.
 * @this {import('./library').Library}
 * @returns {Promise<void>}
 */
async function takeTurn() {
  const turn = new Promise((resolve) => {
    setTimeout(resolve, 0);
  });
  await Promise.race([turn, this.nextFrame()]);
}
