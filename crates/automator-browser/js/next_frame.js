// @ts-check
/**
 * Waits for the next animation frame. A page in the background, or a frame that is out of sight, may get none, so
 * that the wait ends by the clock as well.
 * @returns {Promise<void>}
 */
function nextFrame() {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, 60);
    requestAnimationFrame(() => {
      clearTimeout(timer);
      resolve();
    });
  });
}
