// @ts-check
/**
 * The elements in the order of the composed tree.
 * @this {import('./library').Library}
 * @param {Set<Element>} elements
 * @param {import('./library').Root} root
 * @returns {Element[]}
 */
function inOrder(elements, root) {
  const sorted = [];
  for (const place of this.composed(root)) {
    if (this.isElement(place) && elements.has(place)) {
      sorted.push(place);
    }
  }
  return sorted;
}
