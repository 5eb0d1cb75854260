// @ts-check
/**
 * Waits until a press that a guard watches is over, and tells what the page made of it.
 * @this {import('./library').Library}
 * @param {string} name of the guard
 * @param {{ x: number, y: number }} at
 * @param {boolean} isTap a touch becomes a click only after a moment
 * @returns {Promise<import('./library').Outcome>}
 */
async function seen(name, at, isTap) {
  const guard = this.guard;
  if (guard?.name !== name) {
    return { is: 'unseen' };
  }
  await guard.over;
  for (let waited = 0; isTap && waited < 30 && !guard.clicked && !guard.blocked && guard.target.isConnected; waited += 1) {
    await this.nextFrame();
  }
  const { pressed, departure } = guard;
  try {
    if (guard.blocked) {
      return { is: 'blocked', problem: { why: 'covered', by: guard.blocked } };
    }
    if (!guard.clicked && !(pressed && guard.released && !isTap)) {
      // A press may take its target away, or put something over it; then there is no click.
      const isThere = guard.target.isConnected && this.reaches(guard.target, this.atPoint(at.x, at.y));
      if (isThere === pressed) {
        return { is: 'missed', value: { pressed } };
      }
    }
    const box = this.checkbox(guard.element);
    const isSetBack = () => guard.clicked && guard.toggled && box !== null && box.isConnected && box.checked === guard.wasChecked;
    if (box || departure.isPutOff()) {
      await this.takeTurn();
    } else {
      // Whoever reads the document next lets it have its turn.
      this.owesTurn = true;
    }
    // The page may ask its server first.
    for (let waited = 0; isSetBack() && waited < 20; waited += 1) {
      await this.nextFrame();
    }
    return { is: 'done', value: { pressed, isSetBack: isSetBack(), leaves: departure.leaves() } };
  } finally {
    if (this.guard === guard) {
      this.unwatch?.();
    }
  }
}
