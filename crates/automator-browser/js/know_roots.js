// @ts-check
/**
 * Keeps closed shadow roots, which their hosts do not give, for `shadowRoot`. Gives all that are known.
 * @this {import('./library').Library}
 * @param {ShadowRoot[]} closedRoots
 * @returns {WeakMap<Element, ShadowRoot>}
 */
function knowRoots(closedRoots) {
  this.closedRoots ??= new WeakMap();
  for (const closedRoot of closedRoots) {
    this.closedRoots.set(closedRoot.host, closedRoot);
  }
  return this.closedRoots;
}
