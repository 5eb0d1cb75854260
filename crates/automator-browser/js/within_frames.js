// @ts-check
/**
 * Waits for a promise, but for no more than so many drawn frames: in a frame without scripts no timer ends, and a page
 * that works all the time is never idle.
 * @this {import('./library').Library}
 * @param {Promise<unknown>} promise
 * @param {number} most
 * @returns {Promise<void>}
 */
async function withinFrames(promise, most) {
  let isOver = false;
  const over = promise.then(() => {
    isOver = true;
  });
  for (let frames = 0; frames < most && !isOver; frames += 1) {
    await Promise.race([over, this.nextFrame()]);
  }
}
