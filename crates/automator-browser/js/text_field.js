// @ts-check
/**
 * The field that takes text for an element.
 * @this {import('./library').Library}
 * @param {Element} element
 * @returns {HTMLElement}
 */
function textField(element) {
  const isField = /** @type {HTMLElement} */ (element).isContentEditable || ['input', 'textarea', 'select'].includes(element.localName);
  const editable = '[contenteditable=""], [contenteditable=true], [contenteditable=plaintext-only]';
  const found = isField ? element : this.field(element, `input:not([type=hidden]), textarea, ${editable}`);
  return /** @type {HTMLElement} */ (found);
}
