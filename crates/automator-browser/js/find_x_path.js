/**
 * All elements that an XPath of any kind leads to, as the browser evaluates it: outside of shadow roots only.
 * @param {string} expression
 * @param {Document | ShadowRoot} root
 * @returns {Element[]}
 */
function findXPath(expression, root) {
  if (root.nodeType !== Node.DOCUMENT_NODE) {
    throw new DOMException(
      'inside a shadow root only child and descendant steps, names, positions, attributes and texts can be used',
      'SyntaxError',
    );
  }
  const result = root.evaluate(expression, root, null, XPathResult.ORDERED_NODE_SNAPSHOT_TYPE);
  const found = [];
  for (let index = 0; index < result.snapshotLength; index += 1) {
    const node = result.snapshotItem(index);
    if (node.nodeType === Node.ELEMENT_NODE) {
      found.push(node);
    }
  }
  return found;
}
