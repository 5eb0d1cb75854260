// @ts-check
/**
 * What a field holds.
 * @param {Element} field
 * @returns {string}
 */
function fieldText(field) {
  return 'value' in field && typeof field.value === 'string' ? field.value : /** @type {HTMLElement} */ (field).innerText;
}
