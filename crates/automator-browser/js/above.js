// @ts-check
/**
 * What an element stands in, as people see it: its slot, its parent, or the host of its shadow root.
 * @param {Node} node
 * @returns {Element | null}
 */
function above(node) {
  const parent = /** @type {Element} */ (node).assignedSlot ?? node.parentNode;
  return /** @type {Element | null} */ (parent?.nodeType === Node.DOCUMENT_FRAGMENT_NODE ? (/** @type {ShadowRoot} */ (parent).host ?? null) : parent?.nodeType === Node.ELEMENT_NODE ? parent : null);
}
