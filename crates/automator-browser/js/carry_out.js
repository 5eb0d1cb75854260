// @ts-check
/**
 * Does what `ready` has put off. Another document than that one has nothing to do.
 * @this {import('./library').Library}
 * @returns {Promise<import('./library').Outcome>}
 */
async function carryOut() {
  const effect = this.effect;
  this.effect = undefined;
  return effect ? effect() : { is: 'replaced' };
}
