// @ts-check
/**
 * Whether a node is an element. `instanceof` would fail for one that has moved here from another frame.
 * @param {Node | null} node
 * @returns {node is Element}
 */
function isElement(node) {
  return node?.nodeType === Node.ELEMENT_NODE;
}
