// @ts-check
/**
 * Compares two numbers or two texts.
 * @param {number | string} left
 * @param {import('./library').Comparison} sign
 * @param {number | string} right
 * @returns {boolean}
 */
function compare(left, sign, right) {
  switch (sign) {
    case '=':
      return left === right;
    case '!=':
      return left !== right;
    case '<':
      return left < right;
    case '<=':
      return left <= right;
    case '>':
      return left > right;
    default:
      return left >= right;
  }
}
