// @ts-check
/**
 * Ends the watch over a press, and tells what the page made of it.
 * @this {import('./library').Library}
 * @param {import('./library').Guard} guard
 * @param {{ x: number, y: number }} at
 * @param {boolean} isTap a touch becomes a click only after a moment
 * @returns {Promise<import('./library').Outcome>}
 */
async function judgePress(guard, at, isTap) {
  for (let waited = 0; isTap && waited < 30 && !guard.clicked && !guard.blocked && guard.target.isConnected; waited += 1) {
    await this.nextFrame();
  }
  this.unwatch?.();
  if (guard.blocked) {
    return { is: 'blocked', problem: { why: 'covered', by: guard.blocked } };
  }
  const value = { ...guard, target: undefined, element: undefined };
  if (!guard.clicked && !(guard.pressed && guard.released && !isTap)) {
    // A press may take its target away, or put something over it; then there is no click.
    const isThere = guard.target.isConnected && this.reaches(guard.target, this.atPoint(at.x, at.y));
    if (isThere === guard.pressed) {
      return { is: 'missed', value };
    }
  }
  // The page's listeners get the click now, and what they put off comes next.
  await this.takeTurn();
  const box = this.checkbox(guard.element);
  const isSetBack = () => guard.clicked && box !== null && box.isConnected && box.checked === guard.wasChecked;
  // The page may ask its server first.
  for (let waited = 0; isSetBack() && waited < 20; waited += 1) {
    await this.nextFrame();
  }
  return { is: 'done', value: { ...value, isSetBack: isSetBack() } };
}
