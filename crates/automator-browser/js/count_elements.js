/**
 * How many elements the document has that can be reached without knowing any closed shadow root.
 * @returns {number}
 */
function countElements() {
  let count = 0;
  const open = [document];
  while (open.length > 0) {
    for (const element of open.pop().querySelectorAll('*')) {
      count += 1;
      if (element.shadowRoot) {
        open.push(element.shadowRoot);
      }
    }
  }
  return count;
}
