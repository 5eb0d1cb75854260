// @ts-check
/** @returns {string} */
function title() {
  return document.title;
}
