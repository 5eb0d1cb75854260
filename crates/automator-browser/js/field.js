// @ts-check
/**
 * The field that an element stands for: itself, the control of a label, or the only field inside a wrapper or an
 * element's own shadow root.
 * @this {import('./library').Library}
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
  const own = this.shadowRoot(element);
  const inside = [...this.findCss(fields, element), ...(own ? this.findCss(fields, own) : [])];
  return inside.length === 1 ? inside[0] : element;
}
