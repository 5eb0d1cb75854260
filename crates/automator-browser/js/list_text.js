// @ts-check
/**
 * What a custom list, or a field in it, shows as its choice; in lower case, with single blanks.
 * @param {Element} element
 * @returns {string}
 */
function listText(element) {
  const isField = element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement;
  const text = isField ? element.value : /** @type {HTMLElement} */ (element).innerText ?? element.textContent ?? '';
  return text.replace(/\s+/g, ' ').trim().toLowerCase();
}
