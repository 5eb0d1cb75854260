// @ts-check
/**
 * Whether an XPath predicate holds.
 * @this {import('./library').Library}
 * @param {import('./library').Expression} expression
 * @param {Element} element
 * @param {number} position
 * @param {number} size
 * @returns {boolean}
 */
function holds(expression, element, position, size) {
  /** @param {import('./library').Operand} operand */
  const first = (operand) => String(this.strings(operand, element)[0] ?? '');
  switch (expression.is) {
    case 'or':
      return expression.of.some((inner) => this.holds(inner, element, position, size));
    case 'and':
      return expression.of.every((inner) => this.holds(inner, element, position, size));
    case 'not':
      return !this.holds(expression.of, element, position, size);
    case 'position':
      return this.compare(position, expression.compare, expression.number);
    case 'last':
      return position === size;
    case 'contains':
      return first(expression.text).includes(first(expression.part));
    case 'startsWith':
      return first(expression.text).startsWith(first(expression.part));
    case 'exists':
      // An attribute or a text node exists or not, the element itself always does; a string is true when it is
      // not empty.
      return ['attribute', 'text'].includes(expression.operand.is)
        ? this.strings(expression.operand, element).length > 0
        : expression.operand.is === 'content' || first(expression.operand) !== '';
    default: {
      const isText =
        ['=', '!='].includes(expression.compare) && ![expression.left, expression.right].some(({ is }) => is === 'number');
      /** @param {string | number} text */
      const value = (text) => (isText ? String(text) : String(text).trim() === '' ? NaN : Number(text));
      const rights = this.strings(expression.right, element).map(value);
      return this.strings(expression.left, element)
        .map(value)
        .some((left) => rights.some((right) => this.compare(left, expression.compare, right)));
    }
  }
}
