// @ts-check
/**
 * The elements that a query leads to, in the order in which a reader of the composed tree meets them: the content
 * of a shadow root comes right behind its host. A text says why there are none.
 * @this {import('./library').Library}
 * @param {import('./library').Query} query
 * @param {number} limit
 * @param {import('./library').Root | null} root where to look; the document when there is none
 * @param {...ShadowRoot} closedRoots roots that `shadowRoot` does not give, as far as they are known
 * @returns {Element[] | string}
 */
function find(query, limit, root, ...closedRoots) {
  this.knowRoots(closedRoots);
  const scope = root ?? document;
  try {
    switch (query.kind) {
      case 'css':
        return this.findCss(query.selector, scope).slice(0, limit);
      case 'text':
        return this.findText(query.words, scope).slice(0, limit);
      case 'path':
        return this.findPath(query, scope).slice(0, limit);
      default:
        return this.findXPath(query.expression, scope).slice(0, limit);
    }
  } catch (error) {
    if (error instanceof DOMException && error.name === 'SyntaxError') {
      return error.message;
    }
    throw error;
  }
}
