// @ts-check
/**
 * Whether a text that was typed into a field, behind or into what it held, has come there.
 * @this {import('./library').Library}
 * @param {Element} field
 * @param {string} text
 * @param {string} before
 * @returns {boolean}
 */
function isTyped(field, text, before) {
  const now = this.fieldText(field);
  // Signs alone may be drawn as something else, as a smile is.
  if (now === before || !/[\p{L}\p{N}]/u.test(text)) {
    return now !== before || text === '';
  }
  return now.includes(text) || [before + text, text].some((wanted) => this.holdsText(field, wanted, before));
}
