/**
 * All elements and shadow roots below a node, each before its content, the shadow root before the children.
 * @param {Node} root
 * @returns {Iterable<Element | ShadowRoot>}
 */
function* composed(root) {
  const open = [root];
  while (open.length > 0) {
    const node = open.pop();
    if (node !== root) {
      yield node;
    }
    const children = node.children;
    for (let index = children.length - 1; index >= 0; index -= 1) {
      open.push(children[index]);
    }
    const shadow = this.shadowRoot(node);
    if (shadow) {
      open.push(shadow);
    }
  }
}
