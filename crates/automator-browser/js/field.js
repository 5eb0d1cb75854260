// @ts-check
/**
 * The field that an element stands for: itself, the control of a label, or the only field inside a wrapper.
 * @param {Element} element
 * @param {string} fields a CSS selector of what counts as a field
 * @returns {Element}
 */
function field(element, fields) {
  if (element.matches(fields)) {
    return element;
  }
  const control = element.localName === 'label' ? /** @type {HTMLLabelElement} */ (element).control : null;
  if (control?.matches(fields)) {
    return control;
  }
  const inside = element.querySelectorAll(fields);
  return inside.length === 1 ? inside[0] : element;
}
