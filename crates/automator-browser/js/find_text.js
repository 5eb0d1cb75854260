// @ts-check
/**
 * The innermost elements whose text holds these words, in any case.
 * @this {import('./library').Library}
 * @param {string} words
 * @param {import('./library').Root} root
 * @returns {Element[]}
 */
function findText(words, root) {
  const plain = (/** @type {string | null} */ text) => (text ?? '').replace(/\s+/g, ' ').toLowerCase();
  const wanted = plain(words).trim();
  const silent = ['script', 'style', 'template', 'noscript', 'head', 'title'];
  /** @type {Element[]} */
  const holding = [];
  for (const place of this.composed(root)) {
    if (this.isElement(place) && !silent.includes(place.localName)) {
      const isButton = place.localName === 'input' && ['button', 'submit', 'reset'].includes(/** @type {HTMLInputElement} */ (place).type);
      const text = isButton ? /** @type {HTMLInputElement} */ (place).value : place.textContent;
      if (plain(text).includes(wanted)) {
        holding.push(place);
      }
    }
  }
  const outer = new Set();
  for (const element of holding) {
    for (let current = this.above(element); current && !outer.has(current); current = this.above(current)) {
      outer.add(current);
    }
  }
  const isSaid = (/** @type {Element} */ element) => {
    if (!element.querySelector(silent.join())) {
      return true;
    }
    const copy = /** @type {Element} */ (element.cloneNode(true));
    copy.querySelectorAll(silent.join()).forEach((each) => each.remove());
    return plain(copy.textContent).includes(wanted);
  };
  return holding.filter((element) => !outer.has(element) && isSaid(element));
}
