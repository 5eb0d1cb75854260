// @ts-check
/**
 * All matches of a CSS selector, each within its own document or shadow root.
 * @this {import('./library').Library}
 * @param {string} selector
 * @param {import('./library').Root} root
 * @returns {Element[]}
 */
function findCss(selector, root) {
  /** @type {Element[]} */
  const found = [];
  /** @param {import('./library').Root} scope */
  const visit = (scope) => {
    const matches = scope.querySelectorAll(selector);
    let next = 0;
    for (const host of scope.querySelectorAll('*')) {
      const shadow = this.shadowRoot(host);
      if (shadow) {
        while (next < matches.length && !(host.compareDocumentPosition(matches[next]) & Node.DOCUMENT_POSITION_FOLLOWING)) {
          found.push(matches[next]);
          next += 1;
        }
        visit(shadow);
      }
    }
    for (; next < matches.length; next += 1) {
      found.push(matches[next]);
    }
  };
  visit(root);
  return found;
}
