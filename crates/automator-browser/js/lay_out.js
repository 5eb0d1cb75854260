/**
 * Has the browser lay out content that it keeps for later (`content-visibility: auto`).
 * @param {...Element} elements
 */
function layOut(...elements) {
  for (const element of elements) {
    (element.firstElementChild ?? element).getBoundingClientRect();
  }
}
