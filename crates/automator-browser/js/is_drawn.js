// @ts-check
/**
 * Whether an element, or what it holds, is drawn at all. What a closed `details` holds keeps its boxes, and is not.
 * @param {Element} element
 * @returns {boolean}
 */
function isDrawn(element) {
  return element.checkVisibility() || element.localName === 'area' || getComputedStyle(element).display === 'contents';
}
