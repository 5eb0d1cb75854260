// @ts-check
/**
 * Whether an element keeps its place from this moment to the next animation frame.
 * @this {import('./library').Library}
 * @param {Element} element
 * @returns {Promise<boolean>}
 */
async function isStill(element) {
  const place = () => {
    const { x, y, width, height } = element.getBoundingClientRect();
    return `${x} ${y} ${width} ${height}`;
  };
  const before = place();
  await this.nextFrame();
  return element.isConnected && place() === before;
}
