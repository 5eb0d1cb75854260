// @ts-check
/**
 * What people press to use an element: for a checkbox, a radio button or a file input that is hidden its label.
 * @this {import('./library').Library}
 * @param {Element} element
 * @returns {Element}
 */
function pressable(element) {
  const input = /** @type {HTMLInputElement} */ (element);
  if (element.localName !== 'input' || !['checkbox', 'radio', 'file'].includes(input.type)) {
    return element;
  }
  const isUsable = (/** @type {Element} */ each) =>
    getComputedStyle(each).visibility === 'visible' && this.boxes(each).some(({ width, height }) => width > 1 && height > 1);
  if (isUsable(element)) {
    return element;
  }
  return [...(input.labels ?? [])].find(isUsable) ?? element;
}
