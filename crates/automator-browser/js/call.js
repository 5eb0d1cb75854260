// @ts-check
/**
 * Calls a function of the page library, which is `this`.
 * @this {Record<string, (...values: unknown[]) => unknown>}
 * @param {string} name
 * @param {...unknown} values
 * @returns {unknown}
 */
function call(name, ...values) {
  return this[name](...values);
}
