// @ts-check
/**
 * Sends a click event of the page's own kind to an element, whether people could press it or not.
 * @param {Element} element
 * @param {MouseEventInit} options
 * @returns {import('./library').Outcome}
 */
function sendClick(element, options) {
  element.dispatchEvent(new MouseEvent('click', { ...options, view: window }));
  return { is: 'done' };
}
