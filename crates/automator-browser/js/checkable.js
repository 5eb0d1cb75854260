// @ts-check
/**
 * The native checkbox or radio button that an element is, or that it is the label of.
 * @param {Element} element
 * @returns {HTMLInputElement | null}
 */
function checkable(element) {
  const control = element instanceof HTMLLabelElement ? element.control : element;
  return control instanceof HTMLInputElement && ['checkbox', 'radio'].includes(control.type) ? control : null;
}
