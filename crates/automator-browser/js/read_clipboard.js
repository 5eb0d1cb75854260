// @ts-check
/** @returns {Promise<string>} */
function readClipboard() {
  return navigator.clipboard.readText();
}
