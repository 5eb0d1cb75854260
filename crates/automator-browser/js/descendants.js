/**
 * Everything below a node, through shadow roots, that passes a step. Positions count among siblings.
 * @param {Node} node
 * @param {{ name: string, predicates: object[] }} step
 * @returns {Element[]}
 */
function descendants(node, step) {
  const passing = new Map();
  const passes = (element) => {
    const parent = element.parentNode;
    if (!passing.has(parent)) {
      passing.set(parent, new Set(this.children(parent, step)));
    }
    return passing.get(parent).has(element);
  };
  const found = [];
  for (const below of this.composed(node)) {
    const isElement = below.nodeType === Node.ELEMENT_NODE;
    if (isElement && (step.name === '*' || below.localName.toLowerCase() === step.name) && passes(below)) {
      found.push(below);
    }
  }
  return found;
}
