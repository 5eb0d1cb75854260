// @ts-check
/**
 * Waits until the document may have changed: for a mutation and the frame after it, but not longer than this.
 * Mutations inside shadow roots and changes of style are seen at the end of the time.
 * @this {import('./library').Library}
 * @param {number} milliseconds
 * @returns {Promise<void>}
 */
async function pause(milliseconds) {
  await new Promise((resolve) => {
    const observer = new MutationObserver(resolve);
    observer.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
    setTimeout(() => {
      observer.disconnect();
      resolve(undefined);
    }, Math.max(0, milliseconds));
  });
  await this.nextFrame();
}
