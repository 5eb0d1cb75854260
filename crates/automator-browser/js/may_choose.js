// @ts-check
/**
 * Whether a press on an element may open a file chooser, and does nothing of its own that could not be taken back.
 * @param {Element} element
 * @returns {boolean}
 */
function mayChoose(element) {
  const fields = 'input:not([type=button i]), select, textarea, option, a[href], area, form, html, body, iframe';
  const { form, type } = /** @type {HTMLButtonElement} */ (element);
  const isSent = element.localName === 'button' && form && type === 'submit';
  return !element.matches(fields) && !isSent && !(/** @type {HTMLElement} */ (element).isContentEditable);
}
