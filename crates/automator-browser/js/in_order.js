/**
 * The elements in the order of the composed tree.
 * @param {Set<Element>} elements
 * @param {Document | ShadowRoot} root
 * @returns {Element[]}
 */
function inOrder(elements, root) {
  const sorted = [];
  for (const node of this.composed(root)) {
    if (elements.has(node)) {
      sorted.push(node);
    }
  }
  return sorted;
}
