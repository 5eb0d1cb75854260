/**
 * The absolute XPath of each element within its document. Every step is indexed; `//` leads into a shadow root. What a style
 * sheet writes into an element counts as that element.
 * @param {...Element} elements
 * @returns {string[]}
 */
function paths(...elements) {
  return elements.map((element) => {
    const steps = [];
    let current = element instanceof Element ? element : /** @type {any} */ (element).element;
    while (current instanceof Element) {
      const parent = current.parentNode;
      const name = current.nodeName;
      let position = 1;
      for (let before = current.previousElementSibling; before; before = before.previousElementSibling) {
        position += before.nodeName === name ? 1 : 0;
      }
      const isPlain = current.namespaceURI === 'http://www.w3.org/1999/xhtml' && /^[\w-]+$/.test(name);
      const step = isPlain ? name.toLowerCase() : `*[name()='${name}']`;
      const isInShadow = parent instanceof ShadowRoot;
      steps.push(`${isInShadow ? '//' : '/'}${step}[${position}]`);
      current = isInShadow ? parent.host : parent;
    }
    return steps.reverse().join('');
  });
}
