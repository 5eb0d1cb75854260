// @ts-check
/**
 * All elements that an XPath of any kind leads to, as the browser evaluates it: outside of shadow roots only.
 * @this {import('./library').Library}
 * @param {string} expression
 * @param {import('./library').Root} root
 * @returns {Element[]}
 */
function findXPath(expression, root) {
  if (root !== document) {
    throw new DOMException(
      'inside a shadow root only child and descendant steps, names, positions, attributes and texts can be used',
      'SyntaxError',
    );
  }
  let result;
  try {
    result = document.evaluate(expression, document, null, XPathResult.ORDERED_NODE_SNAPSHOT_TYPE);
  } catch (error) {
    // A number, a text or a truth value cannot be turned into nodes: `count(//a)`.
    throw error instanceof TypeError ? new DOMException('it does not lead to elements', 'SyntaxError') : error;
  }
  const found = [];
  for (let index = 0; index < result.snapshotLength; index += 1) {
    const node = result.snapshotItem(index);
    if (this.isElement(node)) {
      found.push(node);
    }
  }
  return found;
}
