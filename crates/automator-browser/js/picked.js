// @ts-check
/**
 * Whether a custom list box shows what was chosen: its text or value, or the option says that it is selected, or
 * the list has closed and does not show the same as before.
 * @this {import('./library').Library}
 * @param {Element} element
 * @param {{ wanted: string }} options
 * @returns {import('./library').Outcome}
 */
function picked(element, { wanted }) {
  const plain = wanted.replace(/\s+/g, ' ').trim().toLowerCase();
  const option = this.listedOption;
  const isSelected = option?.getAttribute('aria-selected') === 'true' || option?.getAttribute('aria-checked') === 'true';
  const shows = !(option && element.contains(option)) && [element, ...element.querySelectorAll('input')].some((each) => this.listText(each).includes(plain));
  const isClosed = !option || !this.isVisible(option);
  const isMenu = element.getAttribute('aria-haspopup') !== 'listbox' && element.getAttribute('role') !== 'combobox';
  const isChanged = isMenu || !this.listShowed || this.listText(element) !== this.listShowed;
  return isSelected || shows || (isClosed && isChanged) ? { is: 'done' } : { is: 'wait', problem: { why: 'notSelected', by: wanted } };
}
