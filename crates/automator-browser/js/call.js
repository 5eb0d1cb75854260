/**
 * Calls a function of the page library, which is `this`.
 * @param {string} name
 * @param {...unknown} values
 * @returns {unknown}
 */
function call(name, ...values) {
  return this[name](...values);
}
