// @ts-check
/**
 * Whether people see an element: it has a box with an edge, and neither display, visibility nor opacity hide it.
 * @this {import('./library').Library}
 * @param {Element} element
 * @returns {boolean}
 */
function isVisible(element) {
  if (!element.isConnected || !this.isDrawn(element) || getComputedStyle(element).visibility !== 'visible') {
    return false;
  }
  for (let current = /** @type {Element | null} */ (element); current; current = this.above(current)) {
    if (getComputedStyle(current).opacity === '0') {
      return false;
    }
  }
  const box = element.getBoundingClientRect();
  return box.width > 0 || box.height > 0 || this.boxes(element).length > 0;
}
