// @ts-check
/**
 * A point inside a frame as a point of the document that holds the frame, brought into view. A guard watches that
 * the next press goes into the frame.
 * @this {import('./library').Library}
 * @param {Element} frame the frame's element
 * @param {number} x
 * @param {number} y
 * @param {import('./library').Coming | null} coming
 * @returns {import('./library').Outcome}
 */
function through(frame, x, y, coming) {
  const owner = /** @type {HTMLIFrameElement} */ (frame);
  const point = () => this.around(owner, x, y);
  const isInView = (/** @type {{ x: number, y: number }} */ at) => at.x >= 0 && at.y >= 0 && at.x < innerWidth && at.y < innerHeight;
  let covering = null;
  for (const step of ['none', 'center', 'center by window', 'end', 'start']) {
    if (step === 'center by window') {
      const at = point();
      scrollBy({ left: at.x - innerWidth / 2, top: at.y - innerHeight / 2, behavior: 'instant' });
    } else if (step !== 'none') {
      owner.scrollIntoView({ block: /** @type {ScrollLogicalPosition} */ (step), inline: 'nearest', behavior: 'instant' });
    }
    const at = point();
    if (isInView(at)) {
      const hit = this.atPoint(at.x, at.y);
      if (this.reaches(owner, hit)) {
        if (coming) {
          this.watch({ ...coming, presses: 0 }, owner, owner, at, hit);
        }
        return { is: 'done', value: at };
      }
      covering ??= hit;
    }
  }
  return { is: 'wait', problem: covering ? { why: 'covered', by: this.describe(covering) } : { why: 'outOfView' } };
}
