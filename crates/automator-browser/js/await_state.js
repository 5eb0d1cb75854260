// @ts-check
/**
 * Waits, not longer than this, until the element of a request is there and seen, or until it is neither.
 * @this {import('./library').Library}
 * @param {import('./library').Request} request
 * @param {'attached' | 'detached' | 'visible' | 'hidden'} state
 * @param {Element | null} element
 * @param {import('./library').Root | null} root
 * @param {...ShadowRoot} closedRoots
 * @returns {Promise<import('./library').Outcome>}
 */
async function awaitState(request, state, element, root, ...closedRoots) {
  this.knowRoots(closedRoots);
  const begun = performance.now();
  for (;;) {
    const found = this.locate(request, element, root);
    if (typeof found === 'string') {
      return { is: 'invalid', problem: found };
    }
    const isSeen = found !== null && this.isVisible(found);
    const isSo = { attached: found !== null, detached: found === null, visible: isSeen, hidden: !isSeen }[state];
    if (isSo) {
      return { is: 'done' };
    }
    const left = request.appear - (performance.now() - begun);
    if (left <= 0) {
      return { is: 'missing' };
    }
    await this.pause(Math.min(100, left));
  }
}
