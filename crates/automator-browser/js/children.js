// @ts-check
/**
 * The children that pass a step.
 * @this {import('./library').Library}
 * @param {import('./library').Place} place
 * @param {import('./library').Step} step
 * @returns {Element[]}
 */
function children(place, step) {
  const named = [...place.children].filter(({ localName }) => step.name === '*' || localName.toLowerCase() === step.name);
  return this.filter(named, step.predicates);
}
