// @ts-check
/**
 * Whether a press that is over, and that nobody kept from the page, has not been the one that was meant.
 *
 * A listener at the window may keep any part of it from everybody, so a part that did not come says little by itself.
 * @this {import('./library').Library}
 * @param {import('./library').Guard} guard
 * @param {boolean} isTap
 * @returns {boolean}
 */
function isAstray(guard, isTap) {
  const { target, pressed, presses, clicks, pressedNode } = guard;
  const isThere = () => target.isConnected && this.reaches(target, this.atPoint(guard.at.x, guard.at.y));
  if (!pressed && clicks === 0) {
    // A press that goes into a frame takes the focus there.
    return guard.entered || !isThere();
  }
  if (guard.blocked || clicks > 0) {
    return guard.blocked !== null || clicks < presses;
  }
  if (guard.released && !isTap) {
    // No click comes where the page has drawn anew what was pressed inside of the element.
    return pressedNode !== null && !pressedNode.isConnected && isThere();
  }
  // A press may take its target away, put something over it, or have it take no more; then it has arrived for all that.
  return guard.strayed && isThere();
}
