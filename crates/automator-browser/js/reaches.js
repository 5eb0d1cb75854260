// @ts-check
/**
 * Whether what is at a point hands a press on to an element: it is the element, something in it, its label, or,
 * when the element lets presses through, what it stands in.
 * @this {import('./library').Library}
 * @param {Element} element
 * @param {Element | null} hit
 * @returns {boolean}
 */
function reaches(element, hit) {
  for (let current = hit; current; current = this.above(current)) {
    if (current === element || (current.localName === 'label' && /** @type {HTMLLabelElement} */ (current).control === element)) {
      return true;
    }
  }
  if (hit && getComputedStyle(element).pointerEvents === 'none' && hit !== document.body && hit !== document.documentElement) {
    for (let current = this.above(element); current; current = this.above(current)) {
      if (current === hit) {
        return true;
      }
    }
  }
  return false;
}
