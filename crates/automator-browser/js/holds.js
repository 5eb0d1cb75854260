/**
 * Whether an XPath predicate holds.
 * @param {object} expression
 * @param {Element} element
 * @param {number} position
 * @param {number} size
 * @returns {boolean}
 */
function holds(expression, element, position, size) {
  const first = (operand) => this.strings(operand, element)[0] ?? '';
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
      // An attribute or a text node exists or not; a string is true when it is not empty.
      return ['attribute', 'text'].includes(expression.operand.is)
        ? this.strings(expression.operand, element).length > 0
        : expression.operand.is === 'content' || first(expression.operand) !== '';
    default: {
      const lefts = this.strings(expression.left, element);
      const rights = this.strings(expression.right, element);
      const asNumbers =
        !['=', '!='].includes(expression.compare) || [expression.left, expression.right].some(({ is }) => is === 'number');
      const value = (text) => (asNumbers ? (String(text).trim() === '' ? NaN : Number(text)) : String(text));
      return lefts.some((left) => rights.some((right) => this.compare(value(left), expression.compare, value(right))));
    }
  }
}
