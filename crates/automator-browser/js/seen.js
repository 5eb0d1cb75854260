// @ts-check
/**
 * What became of a press that a guard watched.
 * @this {import('./library').Library}
 * @param {string} name
 * @param {{ x: number, y: number }} at
 * @param {boolean} isTap a touch becomes a click only after a moment
 * @param {boolean} isToCome the press is on its way, and waited for
 * @returns {Promise<import('./library').Outcome>}
 */
async function seen(name, at, isTap, isToCome) {
  const guard = this.guard;
  if (guard?.name !== name) {
    // Whoever waited for the press may just be finding out.
    return this.seeing?.name === name ? this.seeing.outcome : { is: 'unseen' };
  }
  if (isToCome) {
    await this.arrival;
    if (this.guard !== guard) {
      return { is: 'unseen' };
    }
  }
  const outcome = this.judgePress(guard, at, isTap);
  this.seeing = { name, outcome };
  return outcome;
}
