// @ts-check
/**
 * How many elements the document has that can be reached without knowing any closed shadow root.
 * @returns {number}
 */
function countElements() {
  let count = 0;
  /** @type {import('./library').Root[]} */
  const open = [document];
  for (let root = open.pop(); root; root = open.pop()) {
    for (const element of root.querySelectorAll('*')) {
      count += 1;
      if (element.shadowRoot) {
        open.push(element.shadowRoot);
      }
    }
  }
  return count;
}
