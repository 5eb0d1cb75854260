// @ts-check
/**
 * What a snapshot of the document lacks: the focused element, the modal dialog in front, checkboxes in their third
 * state, controls that a user has filled with something invalid, and fields that draw marks in place of what
 * stands in them.
 * @this {import('./library').Library}
 * @returns {[Element | null, Element | null, Element[], Element[], Element[]]}
 */
function facts() {
  let focused = document.activeElement;
  while (focused?.shadowRoot?.activeElement) {
    focused = focused.shadowRoot.activeElement;
  }
  if (focused === document.body || focused === document.documentElement) {
    focused = null;
  }
  /** @type {import('./library').Root[]} */
  const roots = [document];
  for (const root of roots) {
    // Elements that are many and never have a shadow root are sieved out first: a walk over all costs ten times.
    const sieve = ':not(a, b, button, em, i, img, input, label, li, ol, option, strong, svg, svg *, td, th, tr, ul)';
    for (const element of root.querySelectorAll(sieve)) {
      const shadow = element.shadowRoot ?? this.closedRoots?.get(element);
      if (shadow) {
        roots.push(shadow);
      }
    }
  }
  const all = (/** @type {string} */ selector) => roots.flatMap((root) => [...root.querySelectorAll(selector)]);
  const found = all('dialog:modal, input:indeterminate, :user-invalid');
  const fields = /** @type {(HTMLInputElement | HTMLTextAreaElement)[]} */ (all('input:not([type=hidden i]), textarea'));
  return [
    focused,
    found.findLast((element) => element.matches('dialog:modal')) ?? null,
    found.filter((element) => element.matches('input[type=checkbox i]:indeterminate')),
    found.filter((element) => element.matches(':user-invalid')),
    fields.filter(
      (field) => field.value && getComputedStyle(field).getPropertyValue('-webkit-text-security') !== 'none',
    ),
  ];
}
