// @ts-check
/**
 * What pressing an element, or the Enter key in it, is for, as far as its markup tells.
 * @this {import('./library').Library}
 * @param {Element} element
 * @param {boolean} byEnter whether it is the Enter key that is pressed
 * @returns {object}
 */
function purpose(element, byEnter) {
  const usable = element.closest(
    'a[href], button, input, select, textarea, summary, label, [role=button], [role=link], [role=menuitem], [role=tab]',
  );
  const pressed = usable?.localName === 'label' ? /** @type {HTMLLabelElement} */ (usable).control ?? usable : usable ?? element;
  const form = /** @type {HTMLFormElement | null} */ (/** @type {any} */ (pressed).form ?? pressed.closest('form'));
  const isButton = (/** @type {Element} */ control) =>
    /** @type {any} */ (control).form &&
    (control.localName === 'button' || control.localName === 'input') &&
    ['submit', 'image'].includes(/** @type {any} */ (control).type);
  const isField = pressed.localName === 'input' && !isButton(pressed);
  let submitter = isButton(pressed) ? pressed : null;
  if (byEnter && isField && form) {
    submitter = [...form.elements].find(isButton) ?? null;
  }
  const words = (/** @type {Element} */ of) => {
    const named = (of.getAttribute('aria-labelledby') ?? '')
      .split(/\s+/)
      .map((id) => (id && /** @type {Document} */ (of.getRootNode()).getElementById?.(id)?.textContent) || '')
      .join(' ');
    const input = /** @type {HTMLInputElement} */ (of);
    const found = [
      of.getAttribute('aria-label'),
      named,
      of.localName === 'input' && ['submit', 'button', 'image', 'reset'].includes(input.type) ? input.value || input.alt : '',
      [...(input.labels ?? [])].map((label) => label.textContent).join(' '),
      of.localName === 'input' || of.localName === 'select' ? '' : /** @type {HTMLElement} */ (of).innerText ?? of.textContent,
      of.querySelector('img[alt]')?.getAttribute('alt'),
      of.querySelector('[aria-label]')?.getAttribute('aria-label'),
      of.getAttribute('title'),
      of.getAttribute('placeholder'),
    ];
    return (found.find((text) => text?.trim()) ?? '').replace(/\s+/g, ' ').trim().slice(0, 200);
  };
  const address = (/** @type {string | null | undefined} */ text) => {
    try {
      return new URL(text || '', document.baseURI).href.slice(0, 500);
    } catch {
      return '';
    }
  };
  const link = /** @type {HTMLAnchorElement | null} */ (pressed.closest('a[href]'));
  const fields = form ? [...form.elements].slice(0, 60) : [];
  const action = submitter?.getAttribute('formaction') ?? form?.getAttribute('action');
  return {
    tag: pressed.localName,
    kind: /** @type {any} */ (pressed).type ?? '',
    role: pressed.getAttribute('role') ?? '',
    name: words(submitter ?? pressed),
    ownName: words(pressed),
    href: link ? address(link.getAttribute('href')) : '',
    downloads: Boolean(link?.hasAttribute('download')),
    takesFiles: pressed.localName === 'input' && /** @type {any} */ (pressed).type === 'file',
    isEditor: pressed.localName === 'textarea' || /** @type {HTMLElement} */ (pressed).isContentEditable,
    submits: Boolean(submitter) || Boolean(byEnter && isField && form),
    action: form ? address(action) : '',
    method: (submitter?.getAttribute('formmethod') ?? form?.getAttribute('method') ?? 'get').toLowerCase(),
    formName: form ? [form.getAttribute('aria-label'), form.getAttribute('role'), form.id, form.getAttribute('name')].filter(Boolean).join(' ') : '',
    fields: fields.map((field) =>
      ['localName', 'type', 'autocomplete', 'name', 'id', 'inputMode']
        .map((member) => String(/** @type {any} */ (field)[member] ?? ''))
        .join(' ')
        .slice(0, 200),
    ),
  };
}
