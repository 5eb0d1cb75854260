// @ts-check
/**
 * Selects options of a native select. What a field suggests with a native list is `text` to be filled in. Elements of
 * another kind are `custom`.
 * @this {import('./library').Library}
 * @param {Element} element
 * @param {{ wanted: import('./library').WantedOption[] }} options
 * @returns {import('./library').Outcome}
 */
function choose(element, { wanted }) {
  const select = /** @type {HTMLSelectElement} */ (this.field(element, 'select'));
  const list = element.localName === 'input' ? /** @type {HTMLInputElement} */ (element).list : null;
  const suggested = list && wanted.length === 1 ? this.option([...list.options], wanted[0]) : undefined;
  if (suggested) {
    return { is: 'text', value: { text: suggested.value } };
  }
  if (select.localName !== 'select') {
    return { is: 'custom' };
  }
  const problem = this.obstacle(select);
  if (problem) {
    return { is: 'wait', problem };
  }
  if (!select.multiple && wanted.length !== 1) {
    return { is: 'refused', problem: 'one-option-only' };
  }
  const all = [...select.options];
  const chosen = new Set();
  for (const each of wanted) {
    const option = this.option(all, each);
    if (!option) {
      // Some lists are filled when they get the focus.
      select.focus({ preventScroll: true });
      const offered = all.slice(0, 50).map((each) => each.label.trim() || each.value);
      return { is: 'wait', problem: { why: 'noOption', by: String(typeof each === 'object' ? each.shown : each), offered } };
    }
    if (option.matches(':disabled')) {
      return { is: 'wait', problem: { why: 'optionDisabled', by: option.label.trim() || option.value } };
    }
    chosen.add(option);
  }
  const changes = all.filter((option) => option.selected !== chosen.has(option));
  const values = all.filter((option) => chosen.has(option)).map((option) => option.value);
  return this.ready({ values }, async () => {
    if (changes.length > 0) {
      select.focus({ preventScroll: true });
      for (const option of changes) {
        option.selected = chosen.has(option);
      }
      select.dispatchEvent(new Event('input', { bubbles: true, composed: true }));
      select.dispatchEvent(new Event('change', { bubbles: true }));
      await this.nextFrame();
    }
    const now = [...select.selectedOptions].map((option) => option.value);
    // A page may draw the list anew, or take it away, once something is chosen.
    const isKept = !select.isConnected || values.every((value) => now.includes(value));
    return { is: isKept ? 'done' : 'missed', value: { values, now } };
  });
}
