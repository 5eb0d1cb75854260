// @ts-check
/**
 * @param {string} text
 * @returns {Promise<void>}
 */
function writeClipboard(text) {
  return navigator.clipboard.writeText(text);
}
