// @ts-check
/**
 * The elements that pass all predicates, one predicate after the other.
 * @this {import('./library').Library}
 * @param {Element[]} elements
 * @param {import('./library').Expression[]} predicates
 * @returns {Element[]}
 */
function filter(elements, predicates) {
  let passing = elements;
  for (const predicate of predicates) {
    const size = passing.length;
    passing = passing.filter((element, index) => this.holds(predicate, element, index + 1, size));
  }
  return passing;
}
