// @ts-check
/**
 * What an operand of an XPath predicate stands for: a text for each node of a node set, else one text.
 * @this {import('./library').Library}
 * @param {import('./library').Operand} operand
 * @param {Element} element
 * @returns {(string | number)[]}
 */
function strings(operand, element) {
  switch (operand.is) {
    case 'attribute': {
      const value = element.getAttribute(operand.name);
      return value === null ? [] : [value];
    }
    case 'text':
      return [...element.childNodes]
        .filter(({ nodeType }) => nodeType === Node.TEXT_NODE || nodeType === Node.CDATA_SECTION_NODE)
        .map(({ nodeValue }) => nodeValue ?? '');
    case 'content':
      return [element.textContent ?? ''];
    case 'normalizeSpace': {
      const text = String(this.strings(operand.of, element)[0] ?? '');
      return [text.replace(/[ \t\r\n]+/g, ' ').replace(/^ | $/g, '')];
    }
    case 'name':
      return [element.localName];
    default:
      return [operand.value];
  }
}
