// @ts-check
/**
 * Everything below a place, through shadow roots, that passes a step. Positions count among siblings.
 * @this {import('./library').Library}
 * @param {import('./library').Place} place
 * @param {import('./library').Step} step
 * @returns {Element[]}
 */
function descendants(place, step) {
  /** @type {Map<ParentNode | null, Set<Element>>} */
  const passing = new Map();
  /** @param {Element} element */
  const passes = (element) => {
    const parent = /** @type {import('./library').Place} */ (element.parentNode);
    const known = passing.get(parent) ?? new Set(this.children(parent, step));
    passing.set(parent, known);
    return known.has(element);
  };
  const found = [];
  for (const below of this.composed(place)) {
    if (this.isElement(below) && (step.name === '*' || below.localName.toLowerCase() === step.name) && passes(below)) {
      found.push(below);
    }
  }
  return found;
}
