// @ts-check
/**
 * Makes a field ready to be filled: focused, with all its text selected. A date, a colour and the like are set, as
 * there is no text to be typed.
 * @this {import('./library').Library}
 * @param {Element} element
 * @param {{ text: string, keepText: boolean }} options with `keepText` the text goes behind what is there
 * @returns {import('./library').Outcome}
 */
function fillStart(element, { text, keepText }) {
  const field = this.textField(element);
  const refusal = this.noText(field, keepText ? '' : text);
  if (refusal) {
    return { is: 'refused', problem: refusal };
  }
  const input = /** @type {HTMLInputElement} */ (field);
  if (input.readOnly && !this.obstacle(field)) {
    // Some fields are read-only until they have the focus, which keeps browsers from filling them in.
    field.focus({ preventScroll: true });
  }
  const problem = this.obstacle(field) ?? (input.readOnly || field.getAttribute('aria-readonly') === 'true' ? { why: 'readOnly' } : null);
  if (problem) {
    return { is: 'wait', problem };
  }
  const before = this.fieldText(field);
  const value = { mode: 'text', isEmpty: before === '', isPassword: input.type === 'password', isEditor: !('value' in field), limit: input.maxLength ?? -1 };
  if (['date', 'time', 'datetime-local', 'month', 'week', 'color', 'range'].includes(input.type) && field.localName === 'input') {
    return this.ready(null, () => this.setValue(input, text, value));
  }
  const wasFocused = /** @type {Document | ShadowRoot} */ (field.getRootNode()).activeElement === field;
  field.focus({ preventScroll: true });
  field.scrollIntoView({ block: 'nearest', inline: 'nearest', behavior: 'instant' });
  const active = /** @type {Document | ShadowRoot} */ (field.getRootNode()).activeElement;
  if (!active || !(active === field || active.contains(field) || field.contains(active))) {
    return { is: 'wait', problem: { why: 'noFocus' } };
  }
  if ('value' in field) {
    const end = before.length;
    if (!keepText) {
      input.select();
    } else if (!wasFocused && input.selectionStart !== null) {
      input.setSelectionRange(end, end);
    }
  } else {
    const selection = /** @type {Selection} */ (getSelection());
    if (!keepText) {
      selection.selectAllChildren(field);
    } else if (!wasFocused) {
      selection.selectAllChildren(field);
      selection.collapseToEnd();
    }
  }
  this.filling?.end?.();
  const filling = { field, before, isHeard: false, end: () => removeEventListener('input', hear, true) };
  const hear = (/** @type {Event} */ event) => {
    filling.isHeard ||= event.isTrusted;
  };
  addEventListener('input', hear, true);
  this.filling = filling;
  return { is: 'done', value };
}
