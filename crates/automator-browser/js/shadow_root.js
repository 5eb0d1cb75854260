/**
 * The shadow root of a node, also a closed one if it is known.
 * @param {Node} node
 * @returns {ShadowRoot | null}
 */
function shadowRoot(node) {
  return node.shadowRoot ?? this.closedRoots?.get(node) ?? null;
}
