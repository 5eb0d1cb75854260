/**
 * The children that pass a step.
 * @param {Node} node
 * @param {{ name: string, predicates: object[] }} step
 * @returns {Element[]}
 */
function children(node, step) {
  const named = [...node.children].filter((child) => step.name === '*' || child.localName.toLowerCase() === step.name);
  return this.filter(named, step.predicates);
}
