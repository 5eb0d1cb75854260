// @ts-check
/**
 * What keeps people from using an element; null when nothing does.
 * @this {import('./library').Library}
 * @param {Element} element
 * @returns {import('./library').Problem | null}
 */
function obstacle(element) {
  if (!element.isConnected) {
    return { why: 'gone' };
  }
  const isSeen = getComputedStyle(element).visibility === 'visible' || element.localName === 'area';
  if (!isSeen || !this.isDrawn(element) || this.boxes(element).length === 0) {
    return { why: 'hidden' };
  }
  for (let current = /** @type {Element | null} */ (element); current; current = this.above(current)) {
    if (current.matches(':disabled') && (current === element || current.localName === 'button')) {
      return { why: 'disabled' };
    }
    if (current.getAttribute('aria-disabled') === 'true') {
      return { why: 'disabled', by: current === element ? undefined : this.describe(current) };
    }
    if (/** @type {HTMLElement} */ (current).inert) {
      return { why: 'inert', by: current === element ? undefined : this.describe(current) };
    }
  }
  return null;
}
