// @ts-check
/**
 * The native checkbox that an element is, or that it is the label of.
 * @param {Element} element
 * @returns {HTMLInputElement | null}
 */
function checkbox(element) {
  const control = element instanceof HTMLLabelElement ? element.control : element;
  return control instanceof HTMLInputElement && control.type === 'checkbox' ? control : null;
}
