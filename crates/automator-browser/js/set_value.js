// @ts-check
/**
 * Sets a date, a colour and the like, in the form of HTML.
 * @this {import('./library').Library}
 * @param {HTMLInputElement} input
 * @param {string} text
 * @param {object} value what is told of the field
 * @returns {import('./library').Outcome}
 */
function setValue(input, text, value) {
  const before = input.value;
  const wanted = input.type === 'color' ? text.trim().toLowerCase() : text.trim();
  input.focus();
  // The setter of our own world is the browser's, whatever the page has put over it in its own.
  input.value = wanted;
  const isSet = input.type === 'range' ? Number(input.value) === Number(wanted) : input.value === wanted;
  // A time may be written with seconds or without.
  const isOtherTime = input.type === 'time' && input.value !== '';
  if (!isSet && !isOtherTime) {
    input.value = before;
    return { is: 'refused', problem: 'malformed-value' };
  }
  if (input.value !== before) {
    input.dispatchEvent(new Event('input', { bubbles: true, composed: true }));
    input.dispatchEvent(new Event('change', { bubbles: true }));
  }
  this.filling = { field: input, before: '', isHeard: true };
  return { is: 'done', value: { ...value, mode: 'set' } };
}
