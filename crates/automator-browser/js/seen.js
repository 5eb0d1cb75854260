// @ts-check
/**
 * Waits until a press that a guard watches is over, and tells what the page made of it.
 * @this {import('./library').Library}
 * @param {string} name of the guard
 * @param {boolean} isTap a touch becomes a click only after a moment
 * @returns {Promise<import('./library').Outcome>}
 */
async function seen(name, isTap) {
  const guard = this.guard;
  if (guard?.name !== name) {
    return { is: 'unseen' };
  }
  await guard.over;
  // A listener that takes a touch for itself leaves no click.
  const isTaken = () => guard.touches.some((touch) => touch.defaultPrevented);
  const mayClick = () => !guard.clicked && !guard.blocked && guard.target.isConnected && !isTaken();
  for (let waited = 0; isTap && waited < 30 && mayClick(); waited += 1) {
    await this.nextFrame();
  }
  const { pressed } = guard;
  try {
    if (guard.blocked) {
      return { is: 'blocked', problem: { why: 'covered', by: guard.blocked } };
    }
    const isThere = () => guard.target.isConnected && this.reaches(guard.target, this.atPoint(guard.at.x, guard.at.y));
    if (!guard.clicked && !(pressed && guard.released && !isTap)) {
      // A press may take its target away, put something over it, or have the target take no more; then there is no
      // click, and it has arrived for all that. Not so when the rest of it reached something else. What a listener of
      // the page keeps from everybody looks like a press that went into another frame, but for the focus.
      const isAstray = pressed ? guard.strayed && isThere() : guard.entered || !isThere();
      if (isAstray) {
        return { is: 'missed', value: { pressed } };
      }
    }
    const box = this.checkbox(guard.element);
    const { checked, indeterminate } = guard.before;
    const isAsBefore = () => box !== null && box.isConnected && box.checked === checked && box.indeterminate === indeterminate;
    const isSetBack = () => guard.clicked && guard.toggled && isAsBefore();
    // A link with a script runs it in a task of its own.
    if (box || guard.target.closest('a[href^="javascript:" i]')) {
      await this.takeTurn();
    } else {
      // Whoever reads the document next lets it have its turn.
      this.owesTurn = true;
    }
    // The page may ask its server first.
    for (let waited = 0; isSetBack() && waited < 20; waited += 1) {
      await this.nextFrame();
    }
    return { is: 'done', value: { pressed, isSetBack: isSetBack() } };
  } finally {
    if (this.guard === guard) {
      this.unwatch?.();
    }
  }
}
