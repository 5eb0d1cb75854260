// @ts-check
/**
 * Why a field cannot take a text; null when it can.
 * @param {HTMLElement} field
 * @param {string} text
 * @returns {string | null}
 */
function noText(field, text) {
  if (!field.isConnected) {
    return 'notconnected';
  }
  if (field.localName === 'input') {
    const type = /** @type {HTMLInputElement} */ (field).type;
    const refused = ['checkbox', 'radio', 'file', 'button', 'submit', 'reset', 'image', 'hidden'];
    if (refused.includes(type)) {
      return `unsupported-input-type:${type}`;
    }
    return ['number', 'range'].includes(type) && text.trim() !== '' && !Number.isFinite(Number(text)) ? 'invalid-number-value' : null;
  }
  return field.localName === 'textarea' || field.isContentEditable ? null : 'unsupported-element';
}
