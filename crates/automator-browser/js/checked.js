// @ts-check
/**
 * Whether a checkbox, a radio button, a switch or the like is on; `refused` for elements that cannot be.
 * @this {import('./library').Library}
 * @param {Element} element
 * @param {{ wanted: boolean | null }} options with `wanted` it waits until this is so
 * @returns {import('./library').Outcome}
 */
function checked(element, { wanted }) {
  const roles = ['checkbox', 'menuitemcheckbox', 'menuitemradio', 'option', 'radio', 'switch', 'treeitem'];
  const field = this.field(element, `input[type=checkbox i], input[type=radio i], ${roles.map((role) => `[role=${role}]`).join(', ')}`);
  const input = /** @type {HTMLInputElement} */ (field);
  const isNative = field.localName === 'input' && ['checkbox', 'radio'].includes(input.type);
  const said = field.getAttribute('aria-checked') ?? field.getAttribute('aria-pressed');
  if (!isNative && said === null && !roles.includes(field.getAttribute('role') ?? '')) {
    return { is: 'refused', problem: 'not-checkable' };
  }
  const isOn = isNative ? input.checked : said === 'true';
  const isRadio = isNative ? input.type === 'radio' : field.getAttribute('role') === 'radio';
  if (wanted !== null && isOn !== wanted) {
    return { is: 'wait', problem: { why: wanted ? 'notChecked' : 'stillChecked' }, value: { isOn, isRadio } };
  }
  return { is: 'done', value: { isOn, isRadio } };
}
