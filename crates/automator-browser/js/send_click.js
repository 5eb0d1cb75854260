// @ts-check
/**
 * Sends a click event of the page's own kind to an element, whether people could press it or not.
 * @this {import('./library').Library}
 * @param {Element} element
 * @param {MouseEventInit} options
 * @returns {import('./library').Outcome}
 */
function sendClick(element, options) {
  return this.ready(null, () => {
    element.dispatchEvent(new MouseEvent('click', { ...options, view: window }));
    return { is: 'done' };
  });
}
