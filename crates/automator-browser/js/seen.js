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
  const mayClick = () => guard.clicks === 0 && !guard.blocked && guard.target.isConnected && !isTaken();
  for (let waited = 0; isTap && waited < 30 && mayClick(); waited += 1) {
    await this.nextFrame();
  }
  const { pressed } = guard;
  try {
    if (guard.blocked && !pressed) {
      return { is: 'blocked', problem: { why: 'covered', by: guard.blocked } };
    }
    const fate = this.fate(guard, isTap);
    if (fate !== 'arrived') {
      return { is: fate, value: { pressed } };
    }
    const box = this.checkable(guard.element);
    const { checked, indeterminate } = guard.before;
    // Two clicks leave a checkbox as it was, other buttons do nothing to it, and a radio button stays.
    const isToChange = guard.toggled && guard.presses % 2 === 1 && !(box?.type === 'radio' && checked);
    const isSetBack = () =>
      isToChange && box !== null && box.isConnected && box.checked === checked && box.indeterminate === indeterminate;
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
