// @ts-check
/**
 * Hands out the open shadow roots of an element and of what is inside it, and inside those. Stops after so many
 * elements, and returns how many of them are left.
 * @this {import('./library.d.ts').Library}
 * @param {Element} element
 * @param {number} left
 * @param {(root: ShadowRoot) => void} watch
 * @returns {number}
 */
function watchRoots(element, left, watch) {
  /** @type {(Element | ShadowRoot)[]} */
  const open = [element];
  for (let place = open.pop(); place; place = open.pop()) {
    // A walker goes only as far as it is asked to, which a list of all descendants would not.
    const walker = document.createTreeWalker(place, NodeFilter.SHOW_ELEMENT);
    for (let node = place instanceof Element ? place : walker.nextNode(); node; node = walker.nextNode()) {
      if (left <= 0) {
        return 0;
      }
      left -= 1;
      const root = node instanceof Element ? node.shadowRoot : null;
      if (root) {
        watch(root);
        open.push(root);
      }
    }
  }
  return left;
}
