// @ts-check
/**
 * The element that a request is about, if it is there. A text says why its query cannot be used.
 * @this {import('./library').Library}
 * @param {import('./library').Request} request
 * @param {Element | null} element the element itself, when it is known
 * @param {import('./library').Root | null} root
 * @returns {Element | string | null}
 */
function locate(request, element, root) {
  if (element) {
    return element.isConnected ? element : null;
  }
  const found = this.find(request.query, request.index + 1, root);
  if (typeof found === 'string') {
    return found;
  }
  const chosen = found[request.index] ?? null;
  return chosen && (request.tag === null || chosen.localName === request.tag) ? chosen : null;
}
