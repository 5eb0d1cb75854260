// @ts-check
/**
 * What became of a press that is over, and that nobody kept from the page: it has arrived, it has missed, or it is
 * lost: it began as it was meant to, and before it came to its end another field, left by it, had the page move the
 * element or draw it anew. The page has done nothing for a lost one, so it can be done again.
 *
 * A listener at the window may keep any part of it from everybody, so a part that did not come says little by itself.
 * @this {import('./library').Library}
 * @param {import('./library').Guard} guard
 * @param {boolean} isTap
 * @returns {'arrived' | 'missed' | 'lost'}
 */
function fate(guard, isTap) {
  const { target, at, pressed, presses, clicks, pressedNode, released, strayed } = guard;
  const isAt = (/** @type {{ x: number, y: number }} */ { x, y }) => this.reaches(target, this.atPoint(x, y));
  const isThere = () => target.isConnected && isAt(at);
  const missedIf = (/** @type {boolean} */ hasMissed) => (hasMissed ? 'missed' : 'arrived');
  if (!pressed && clicks === 0) {
    // A press that goes into a frame takes the focus there.
    return missedIf(guard.entered || !isThere());
  }
  if (guard.blocked || clicks > 0) {
    return missedIf(guard.blocked !== null || clicks < presses);
  }
  const isRedrawn = pressedNode !== null && !pressedNode.isConnected;
  if (guard.stood && (isRedrawn || (strayed && !released))) {
    return guard.hasTouched || guard.isAnswered ? 'missed' : 'lost';
  }
  if (released && !isTap) {
    // No click comes where the page has drawn anew what was pressed inside of the element.
    return missedIf(isRedrawn && isThere());
  }
  // A press may take its target away, put something over it, or have it take no more; then it has arrived for all
  // that. Not where it has only had the element move, unless that is in another state now.
  const hasMoved = () => !guard.isAnswered && this.obstacle(target) === null && this.points(target, null).some(isAt);
  return missedIf(strayed && (isThere() || hasMoved()));
}
