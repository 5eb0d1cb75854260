// @ts-check
/**
 * Whether a field holds a text that was put into it. What a mask adds around letters and digits, how a number is
 * written, and what an editor makes of blanks and lines, does not matter.
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
  const letters = (/** @type {string} */ text) => text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
  const [asked, held, old] = [letters(wanted), letters(now), letters(before)];
  if (asked === '' || (old && held.includes(old) && !asked.includes(old))) {
    return false;
  }
  // Digits alone are what is typed into a mask, which may divide them as it likes.
  if (asked === held && /^\d+$/.test(wanted.trim())) {
    return true;
  }
  const [number, heldNumber] = [this.numbers(wanted), this.numbers(now)];
  if (number.length > 0 && heldNumber.length > 0) {
    const isCode = /^0\d/.test(wanted.trim());
    return isCode ? asked === held : number.some((each) => heldNumber.includes(each));
  }
  // A few letters stand in other texts by chance.
  return asked === held || (asked.length >= 4 && held.includes(asked));
}
