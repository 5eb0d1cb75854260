// @ts-check
/**
 * Whether a field holds a text, for one that came in the place of the field that was filled.
 * @this {import('./library').Library}
 * @param {Element} element
 * @param {{ text: string, keepText: boolean }} options
 * @returns {import('./library').Outcome}
 */
function heldText(element, { text, keepText }) {
  const field = this.textField(element);
  return { is: keepText || this.holdsText(field, text, '') ? 'done' : 'missed', value: { text: this.fieldText(field) } };
}
