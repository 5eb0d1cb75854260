// @ts-check
/**
 * Brings an element into view, in the middle if it has to move.
 * @this {import('./library').Library}
 * @param {Element} element
 * @returns {import('./library').Outcome}
 */
function intoView(element) {
  const isIn = () => {
    const box = element.getBoundingClientRect();
    return box.top >= 0 && box.left >= 0 && box.bottom <= innerHeight && box.right <= innerWidth;
  };
  let [box] = this.boxes(element);
  if (!box) {
    return { is: 'wait', problem: { why: 'hidden' } };
  }
  const middle = { x: box.x + box.width / 2, y: box.y + box.height / 2 };
  if (!isIn() || !this.reaches(element, this.atPoint(middle.x, middle.y))) {
    element.scrollIntoView({ block: 'center', inline: 'center', behavior: 'instant' });
  }
  [box] = this.boxes(element);
  return { is: 'done', value: { x: box.x + box.width / 2, y: box.y + box.height / 2 } };
}
