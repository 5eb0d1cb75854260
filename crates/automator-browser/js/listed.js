// @ts-check
/**
 * The option of a custom list box that has a text, and is shown. Before the list is opened these are the options of
 * lists that the element names or is; afterwards also those that have come up since.
 * @this {import('./library').Library}
 * @param {Element} element what opens the list
 * @param {{ wanted: string, isOpened: boolean }} options
 * @returns {import('./library').Outcome}
 */
function listed(element, { wanted, isOpened }) {
  const plain = (/** @type {string | null} */ text) => (text ?? '').replace(/\s+/g, ' ').trim();
  const kinds = '[role=option], [role=menuitem], [role=menuitemradio], [role=treeitem], li, [data-value]';
  const shown = (/** @type {unknown} */ area) =>
    this.findCss(kinds, /** @type {import('./library').Root} */ (area)).filter(
      (each) => !each.contains(element) && this.isVisible(each),
    );
  const root = /** @type {Document | ShadowRoot} */ (element.getRootNode());
  const ids = ['aria-controls', 'aria-owns'].flatMap((name) => (element.getAttribute(name) ?? '').split(/\s+/));
  const named = ids.map((id) => id && root.getElementById(id)).filter((each) => each instanceof Element);
  const options = [...(element.matches('[role=listbox], [role=menu]') ? [element] : []), ...named].flatMap(shown);
  if (isOpened) {
    options.push(...shown(document).filter((each) => !this.listedBefore?.has(each)));
  } else {
    this.listedBefore = new WeakSet(shown(document));
    this.listShowed = this.listText(element);
  }
  const tests = [
    (/** @type {Element} */ each) => plain(each.textContent) === plain(wanted) || each.getAttribute('data-value') === wanted,
    (/** @type {Element} */ each) => plain(each.getAttribute('aria-label')) === plain(wanted),
    (/** @type {Element} */ each) => plain(each.textContent).toLowerCase() === plain(wanted).toLowerCase(),
  ];
  for (const test of tests) {
    const found = options.filter(test);
    const innermost = found.find((each) => !found.some((other) => other !== each && each.contains(other)));
    if (innermost) {
      this.listedOption = innermost;
      // In a list that takes several, a click would take it out again.
      const isChosen = innermost.getAttribute('aria-selected') === 'true' && innermost.closest('[aria-multiselectable=true]') !== null;
      return { is: 'done', value: { isChosen } };
    }
  }
  const offered = [...new Set(options.map((each) => plain(each.textContent)))].slice(0, 50);
  return { is: 'wait', problem: { why: 'noOption', by: wanted, offered } };
}
