// @ts-check
/**
 * Something about an element.
 * @this {import('./library').Library}
 * @param {Element} element
 * @param {{ what: string, name?: string }} options
 * @returns {import('./library').Outcome}
 */
function read(element, { what, name }) {
  switch (what) {
    case 'textContent':
      return { is: 'done', value: element.textContent ?? '' };
    case 'innerText':
      return { is: 'done', value: /** @type {HTMLElement} */ (element).innerText ?? element.textContent ?? '' };
    case 'innerHtml':
      return { is: 'done', value: element.innerHTML };
    case 'attribute':
      return { is: 'done', value: element.getAttribute(name ?? '') };
    case 'inputValue': {
      const field = this.field(element, 'input, textarea, select');
      const hasValue = ['input', 'textarea', 'select'].includes(field.localName) || /** @type {HTMLElement} */ (field).isContentEditable;
      return hasValue ? { is: 'done', value: this.fieldText(field) } : { is: 'refused', problem: 'unsupported-element' };
    }
    case 'isVisible':
      return { is: 'done', value: this.isVisible(element) };
    case 'isEnabled':
      return { is: 'done', value: !['disabled', 'inert'].includes(this.obstacle(element)?.why ?? '') && !element.matches(':disabled') };
    case 'box': {
      const { x, y, width, height } = element.getBoundingClientRect();
      return this.boxes(element).length > 0 || width > 0 || height > 0
        ? { is: 'done', value: { x, y, width, height } }
        : { is: 'done', value: null };
    }
    case 'purpose':
      return { is: 'done', value: this.purpose(element, name === 'Enter') };
    case 'keep':
      this.keptElement = element;
      return { is: 'done' };
    case 'element':
      return { is: 'done', value: element.localName };
    default:
      throw new TypeError(`nothing is known of ${what}`);
  }
}
