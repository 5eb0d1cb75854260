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
    return { is: 'unseen' };
  }
  if (isToCome) {
    await this.arrival;
    if (this.guard !== guard) {
      return { is: 'unseen' };
    }
  }
  for (let waited = 0; isTap && waited < 30 && !guard.clicked && !guard.blocked && guard.target.isConnected; waited += 1) {
    await this.nextFrame();
  }
  this.unwatch?.();
  if (guard.blocked) {
    return { is: 'blocked', problem: { why: 'covered', by: guard.blocked } };
  }
  const value = { ...guard, target: undefined };
  if (!guard.clicked && !(guard.pressed && guard.released && !isTap)) {
    // A press may take its target away, or put something over it; then there is no click.
    const isThere = guard.target.isConnected && this.reaches(guard.target, this.atPoint(at.x, at.y));
    if (isThere === guard.pressed) {
      return { is: 'missed', value };
    }
  }
  // The page's listeners get the click now, and what they put off comes next.
  await this.takeTurn();
  return { is: 'done', value };
}
