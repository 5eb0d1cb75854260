// @ts-check
/**
 * Whether a custom list box shows what was chosen: its text or value, or the option says that it is selected, or
 * the list has closed.
 * @this {import('./library').Library}
 * @param {Element} element
 * @param {{ wanted: string }} options
 * @returns {import('./library').Outcome}
 */
function picked(element, { wanted }) {
  const plain = (/** @type {string | null} */ text) => (text ?? '').replace(/\s+/g, ' ').trim().toLowerCase();
  const option = this.listedOption;
  const isSelected = option?.getAttribute('aria-selected') === 'true' || option?.getAttribute('aria-checked') === 'true';
  const shows = [element, ...element.querySelectorAll('input')].some((each) => plain(this.fieldText(each)).includes(plain(wanted)));
  const isClosed = !option || !this.isVisible(option);
  return isSelected || shows || isClosed ? { is: 'done' } : { is: 'wait', problem: { why: 'notSelected', by: wanted } };
}
