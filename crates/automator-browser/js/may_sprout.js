// @ts-check
/**
 * Whether an element may have a shadow root, as the DOM standard says it of those that are not custom.
 * @param {Element} element
 * @returns {boolean}
 */
function maySprout(element) {
  const names = [
    'article', 'aside', 'blockquote', 'body', 'div', 'footer', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'header', 'main',
    'nav', 'p', 'section', 'span',
  ];
  return names.includes(element.localName);
}
