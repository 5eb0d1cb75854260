// @ts-check
/**
 * Takes the steps of an XPath that has been read already.
 * @this {import('./library').Library}
 * @param {import('./library').Path} path
 * @param {import('./library').Root} root
 * @returns {Element[]}
 */
function findPath(path, root) {
  /** @type {import('./library').Place[]} */
  let places = path.group ? this.filter(this.findPath(path.group.path, root), path.group.predicates) : [root];
  for (const [index, step] of path.steps.entries()) {
    const next = new Set();
    for (const place of places) {
      // In a path of our own writing `//` behind a host is the step into its shadow root.
      const shadow = path.indexed && step.axis === 'descendant' && index > 0 ? this.shadowRoot(place) : null;
      const passing =
        shadow || step.axis === 'child' ? this.children(shadow ?? place, step) : this.descendants(place, step);
      for (const element of passing) {
        next.add(element);
      }
    }
    places = next.size > 1 && index > 0 ? this.inOrder(next, root) : [...next];
  }
  return places.filter((place) => this.isElement(place));
}
