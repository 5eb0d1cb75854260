/**
 * What a snapshot of the document lacks: the focused element, the modal dialog in front, checkboxes in their third
 * state, and controls that a user has filled with something invalid.
 * @returns {[Element | null, Element | null, Element[], Element[]]}
 */
function facts() {
  let focused = document.activeElement;
  while (focused?.shadowRoot?.activeElement) {
    focused = focused.shadowRoot.activeElement;
  }
  if (focused === document.body || focused === document.documentElement) {
    focused = null;
  }
  const found = [...document.querySelectorAll('dialog:modal, input:indeterminate, :user-invalid')];
  return [
    focused,
    found.findLast((element) => element.matches('dialog:modal')) ?? null,
    found.filter((element) => element.matches('input[type=checkbox i]:indeterminate')),
    found.filter((element) => element.matches(':user-invalid')),
  ];
}
