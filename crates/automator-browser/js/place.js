// @ts-check
/**
 * Where an element is, whatever lies over it; brought into view if it is not there.
 * @this {import('./library').Library}
 * @param {Element} element
 * @param {{ position: { x: number, y: number } | null }} options
 * @returns {import('./library').Outcome}
 */
function place(element, { position }) {
  const point = () => {
    const [box] = this.boxes(element);
    const corner = element.getBoundingClientRect();
    if (position) {
      return { x: corner.x + position.x, y: corner.y + position.y };
    }
    return box ? { x: box.x + box.width / 2, y: box.y + box.height / 2 } : null;
  };
  const at = point();
  if (!at) {
    return { is: 'wait', problem: { why: 'hidden' } };
  }
  if (at.x < 0 || at.y < 0 || at.x >= innerWidth || at.y >= innerHeight) {
    element.scrollIntoView({ block: 'center', inline: 'center', behavior: 'instant' });
  }
  return { is: 'done', value: point() };
}
