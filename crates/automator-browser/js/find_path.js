/**
 * Takes the steps of an XPath that has been read already.
 * @param {{ group?: { path: object, predicates: object[] }, steps: object[], indexed: boolean }} path
 * @param {Document | ShadowRoot} root
 * @returns {Element[]}
 */
function findPath(path, root) {
  let nodes = [root];
  if (path.group) {
    nodes = this.filter(this.findPath(path.group.path, root), path.group.predicates);
  }
  for (const [index, step] of path.steps.entries()) {
    const next = new Set();
    for (const node of nodes) {
      // In a path of our own writing `//` behind a host is the step into its shadow root.
      const shadow = path.indexed && step.axis === 'descendant' && index > 0 ? this.shadowRoot(node) : null;
      const passing =
        step.axis === 'child' || shadow
          ? this.children(shadow ?? node, step)
          : this.descendants(node, step);
      for (const element of passing) {
        next.add(element);
      }
    }
    nodes = [...next];
    if (nodes.length > 1 && index > 0) {
      nodes = this.inOrder(next, root);
    }
  }
  return nodes.filter((node) => node.nodeType === Node.ELEMENT_NODE);
}
