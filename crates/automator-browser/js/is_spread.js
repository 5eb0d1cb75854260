// @ts-check
/**
 * Whether a text stands in a row of short fields, of which this is the first: a code with a field for each digit.
 * @param {HTMLElement} field
 * @param {string} text
 * @returns {boolean}
 */
function isSpread(field, text) {
  const short = 'input[maxlength]';
  const wanted = text.replace(/[\s-]/g, '');
  if (!field.matches(short) || wanted.length <= /** @type {HTMLInputElement} */ (field).maxLength) {
    return false;
  }
  const root = /** @type {Document | ShadowRoot} */ (field.getRootNode());
  const row = /** @type {HTMLInputElement[]} */ ([...root.querySelectorAll(short)]);
  const values = row.slice(row.indexOf(/** @type {HTMLInputElement} */ (field))).map((each) => each.value);
  return values.join('').startsWith(wanted);
}
