// @ts-check
/**
 * All elements and shadow roots below a place, each before its content, the shadow root before the children.
 * @this {import('./library').Library}
 * @param {import('./library').Place} root
 * @returns {Iterable<Element | ShadowRoot>}
 */
function* composed(root) {
  /** @type {(Element | ShadowRoot)[]} */
  const open = [];
  /** @param {import('./library').Place} place */
  const enter = (place) => {
    for (let index = place.children.length - 1; index >= 0; index -= 1) {
      open.push(place.children[index]);
    }
    const shadow = this.shadowRoot(place);
    if (shadow) {
      open.push(shadow);
    }
  };
  enter(root);
  for (let place = open.pop(); place; place = open.pop()) {
    yield place;
    enter(place);
  }
}
