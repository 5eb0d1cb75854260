// @ts-check
/**
 * What pressing an element, or the Enter key in it, is for, as far as its markup tells.
 * @this {import('./library').Library}
 * @param {Element} element
 * @param {boolean} byEnter whether it is the Enter key that is pressed
 * @returns {object}
 */
function purpose(element, byEnter) {
  const usableOf = (/** @type {Element} */ of) =>
    of.closest(
      'a[href], area[href], button, input, select, textarea, summary, label, [role=button], [role=link], [role=menuitem], [role=tab]',
    ) ?? of.closest('[onclick], [tabindex], [role]');
  // A press goes to what lies on top within the element.
  const target = this.pressable(element);
  const at = byEnter ? undefined : this.points(target, null)[0];
  const hit = at ? this.atPoint(at.x, at.y) : null;
  const isWithin = hit !== null && hit !== element && this.reaches(element, hit);
  const usable = usableOf(isWithin ? hit : element) ?? usableOf(element);
  const pressed = usable?.localName === 'label' ? /** @type {HTMLLabelElement} */ (usable).control ?? usable : usable ?? element;
  const form = /** @type {HTMLFormElement | null} */ (/** @type {any} */ (pressed).form ?? pressed.closest('form'));
  const isButton = (/** @type {Element} */ control) =>
    /** @type {any} */ (control).form &&
    (control.localName === 'button' || control.localName === 'input') &&
    ['submit', 'image'].includes(/** @type {any} */ (control).type);
  const isField = pressed.localName === 'input' && !isButton(pressed);
  let submitter = isButton(pressed) ? pressed : null;
  if (byEnter && isField && form) {
    // Pictures that send a form are not among its elements.
    const buttons = [...form.elements, ...form.querySelectorAll('input[type=image]')].filter(isButton);
    const isBefore = (/** @type {Element} */ one, /** @type {Element} */ other) =>
      one.compareDocumentPosition(other) & Node.DOCUMENT_POSITION_FOLLOWING;
    submitter = buttons.sort((one, other) => (isBefore(one, other) ? -1 : 1))[0] ?? null;
  }
  const textOf = (/** @type {Element} */ of, /** @type {string} */ attribute) =>
    (of.getAttribute(attribute) ?? '')
      .split(/\s+/)
      .map((id) => (id && /** @type {Document} */ (of.getRootNode()).getElementById?.(id)?.textContent) || '')
      .join(' ');
  // What a style sheet writes before and after its text, and before and after that of its parts.
  const styled = (/** @type {Element} */ of) => {
    const written = (/** @type {Element} */ part, /** @type {string} */ side) => {
      const content = getComputedStyle(part, side).content;
      const texts = content.matchAll(/"((?:[^"\\]|\\.)*)"|attr\(\s*([\w-]+)[^)]*\)/g);
      return [...texts].map(([, text, attribute]) => text ?? part.getAttribute(attribute) ?? '').join('');
    };
    const parts = [of, ...[...of.querySelectorAll('*')].slice(0, 20)];
    return parts.flatMap((part) => [written(part, '::before'), part === of ? '' : written(part, '::after')]).concat(written(of, '::after'));
  };
  // A description that is longer is a text, in which every word stands by chance.
  const brief = (/** @type {string} */ text) => (text.trim().length <= 60 ? text : '');
  const allWords = (/** @type {Element} */ of) => {
    const named = textOf(of, 'aria-labelledby');
    const styles = styled(of);
    const input = /** @type {HTMLInputElement} */ (of);
    const found = [
      of.getAttribute('aria-label'),
      named,
      of.localName === 'input' && ['submit', 'button', 'image', 'reset'].includes(input.type) ? input.value || input.alt : '',
      [...(input.labels ?? [])].map((label) => label.textContent).join(' '),
      of.localName === 'input' || of.localName === 'select' ? '' : /** @type {HTMLElement} */ (of).innerText ?? of.textContent,
      // Those of its own pictures and parts, not of other buttons within.
      ...[...of.querySelectorAll('img[alt], [aria-label], svg title')]
        .filter((inner) => [of, null].includes(usableOf(inner)) || usableOf(inner)?.contains(of))
        .slice(0, 10)
        .map((inner) => inner.getAttribute('alt') ?? inner.getAttribute('aria-label') ?? inner.textContent),
      of.localName === 'area' ? of.getAttribute('alt') : '',
      ...styles,
      styles.join(' '),
      brief(textOf(of, 'aria-describedby')),
      brief(of.getAttribute('aria-description') ?? ''),
      // What it has another element do, where the page says what that means.
      (of.getAttribute('command') ?? '').startsWith('--') ? /** @type {string} */ (of.getAttribute('command')) : '',
      of.getAttribute('title'),
      of.getAttribute('placeholder'),
    ];
    // Letters can be written in many ways that look alike.
    const texts = found.map((text) => (text ?? '').normalize('NFKC').replace(/\s+/g, ' ').trim().slice(0, 200));
    const bare = texts.map((text) => text.normalize('NFKD').replace(/\p{M}/gu, ''));
    return [...new Set([...texts, ...bare].filter((text) => text))];
  };
  const words = (/** @type {Element} */ of) => allWords(of)[0] ?? '';
  const address = (/** @type {string | null | undefined} */ text) => {
    try {
      return new URL(text || '', document.baseURI).href.slice(0, 500);
    } catch {
      return '';
    }
  };
  const link = /** @type {HTMLAnchorElement | null} */ (pressed.closest('a[href], area[href]'));
  const fields = form ? [...form.elements].slice(0, 60) : [];
  const action = submitter?.getAttribute('formaction') ?? form?.getAttribute('action');
  // What frameworks send in the place of the method that a form or a link has.
  const override = form?.querySelector('input[name=_method i]');
  const instead =
    pressed.getAttribute('data-method') ||
    pressed.getAttribute('data-turbo-method') ||
    (pressed.matches('[hx-delete], [data-hx-delete]') ? 'delete' : '') ||
    (submitter?.getAttribute('name') === '_method' ? submitter.getAttribute('value') : '') ||
    (submitter && override ? /** @type {HTMLInputElement} */ (override).value : '');
  const method = submitter?.getAttribute('formmethod') ?? form?.getAttribute('method') ?? 'get';
  return {
    tag: pressed.localName,
    kind: /** @type {any} */ (pressed).type ?? '',
    role: pressed.getAttribute('role') ?? '',
    name: words(submitter ?? pressed),
    ownName: words(pressed),
    names: [...new Set([...allWords(submitter ?? pressed), ...allWords(usableOf(element) ?? element)])].slice(0, 30),
    href: link ? address(link.getAttribute('href')) : '',
    downloads: Boolean(link?.hasAttribute('download')),
    takesFiles: pressed.localName === 'input' && /** @type {any} */ (pressed).type === 'file',
    isEditor: pressed.localName === 'textarea' || /** @type {HTMLElement} */ (pressed).isContentEditable,
    submits: Boolean(submitter) || Boolean(byEnter && isField && form),
    action: form ? address(action) : '',
    method: (/^delete$/i.test(instead ?? '') ? 'delete' : method).toLowerCase(),
    formName: form ? [form.getAttribute('aria-label'), form.getAttribute('role'), form.id, form.getAttribute('name')].filter(Boolean).join(' ') : '',
    fields: fields.map((field) =>
      ['localName', 'type', 'autocomplete', 'name', 'id', 'inputMode']
        .map((member) => String(/** @type {any} */ (field)[member] ?? ''))
        .join(' ')
        .slice(0, 200),
    ),
  };
}
