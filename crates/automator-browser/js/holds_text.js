// @ts-check
/**
 * Whether a field holds a text that was put into it. What a mask adds between letters and digits, and what an
 * editor makes of blanks and lines, does not matter.
 * @this {import('./library').Library}
 * @param {Element} field
 * @param {string} wanted
 * @param {string} before what it held before
 * @returns {boolean}
 */
function holdsText(field, wanted, before) {
  const now = this.fieldText(field);
  const lines = (/** @type {string} */ text) => text.replace(/\r\n?/g, '\n');
  if (lines(now) === lines(wanted)) {
    return true;
  }
  const isEditor = !('value' in field);
  const dense = (/** @type {string} */ text) => text.replace(/[\s\u200b\ufeff]/g, '');
  if (wanted === '') {
    return isEditor && dense(now) === '';
  }
  if (isEditor && dense(now) === dense(wanted)) {
    return true;
  }
  const type = /** @type {HTMLInputElement} */ (field).type;
  if (['email', 'url', 'number'].includes(type) && now.trim() === wanted.trim()) {
    return true;
  }
  if (field.localName === 'textarea' || type === 'password') {
    return false;
  }
  const letters = (/** @type {string} */ text) => [...text.toLowerCase()].filter((letter) => /[\p{L}\p{N}]/u.test(letter));
  const missing = letters(wanted);
  const old = letters(before).join('');
  if (missing.length === 0 || (old && letters(now).join('').includes(old) && !missing.join('').includes(old))) {
    return false;
  }
  for (const letter of letters(now)) {
    if (letter === missing[0]) {
      missing.shift();
    }
  }
  return missing.length === 0;
}
