// @ts-check
/**
 * The element at a point of the viewport, also inside shadow roots as far as they are known.
 * @this {import('./library').Library}
 * @param {number} x
 * @param {number} y
 * @returns {Element | null}
 */
function atPoint(x, y) {
  let found = document.elementFromPoint(x, y);
  for (let shadow = found && this.shadowRoot(found); shadow; shadow = found && this.shadowRoot(found)) {
    const inner = shadow.elementFromPoint(x, y);
    if (!inner || inner === found || inner.getRootNode() !== shadow) {
      break;
    }
    found = inner;
  }
  return found;
}
