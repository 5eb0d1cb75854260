// @ts-check
/**
 * Takes the focus away from a text field, as a press on anything else does: many a page looks at a text only then,
 * and lets its buttons be pressed.
 * @param {Element} target what is to be pressed
 */
function leaveField(target) {
  let active = document.activeElement;
  while (active?.shadowRoot?.activeElement) {
    active = active.shadowRoot.activeElement;
  }
  if (active && active !== target && active.matches('input, textarea')) {
    /** @type {HTMLElement} */ (active).blur();
  }
}
