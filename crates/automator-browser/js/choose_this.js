// @ts-check
/**
 * Selects the option with this number in the list that an option belongs to.
 * @this {import('./library').Library}
 * @param {Element} element
 * @param {{ wanted: (string | number)[] }} options
 * @returns {import('./library').Outcome}
 */
function chooseThis(element, options) {
  const select = element.closest('select');
  return select ? this.choose(select, options) : { is: 'refused', problem: 'unsupported-element' };
}
