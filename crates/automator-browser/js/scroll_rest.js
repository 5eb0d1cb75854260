// @ts-check
/**
 * Waits until nothing scrolls since `watchScroll`. Where the end of scrolling is not announced, 150 ms without a
 * step are the end; where none begins within 100 ms there is nothing to wait for.
 * @this {import('./library').Library}
 * @returns {Promise<void>}
 */
function scrollRest() {
  const watch = this.scrollWatch;
  const begun = performance.now();
  return new Promise((resolve) => {
    const look = () => {
      const now = performance.now();
      for (const [target, at] of watch?.moving ?? []) {
        if (now - at > 150) {
          watch?.moving.delete(target);
        }
      }
      const isResting = !watch || (watch.moving.size === 0 && (watch.seen || now - begun > 100));
      if (isResting || now - begun > 3000) {
        watch?.end();
        resolve();
      } else {
        setTimeout(look, 15);
      }
    };
    look();
  });
}
