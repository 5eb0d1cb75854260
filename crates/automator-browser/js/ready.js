// @ts-check
/**
 * Puts off what changes the page until `carryOut`. That is asked for once, while finding the element and waiting for
 * it may begin anew when the document goes away.
 * @this {import('./library').Library}
 * @param {unknown} value what is known beforehand
 * @param {() => import('./library').Outcome | Promise<import('./library').Outcome>} effect
 * @returns {import('./library').Outcome}
 */
function ready(value, effect) {
  this.effect = effect;
  return { is: 'ready', value };
}
