// @ts-check
/**
 * The boxes of an element in its viewport: one for each line of an inline element, those of its content when it
 * has none itself, and that of the picture's part for an area of an image map.
 * @param {Element} element
 * @returns {DOMRect[]}
 */
function boxes(element) {
  if (element.localName === 'area') {
    const name = element.closest('map')?.name;
    const image = [...document.querySelectorAll('img[usemap]')].find((each) => each.getAttribute('usemap') === `#${name}`);
    const picture = image?.getBoundingClientRect();
    const numbers = (element.getAttribute('coords') ?? '').split(',').map(Number);
    if (!picture || element.getAttribute('shape') === 'default' || numbers.length < 3) {
      return picture ? [picture] : [];
    }
    if (numbers.length === 3) {
      const [x, y, radius] = numbers;
      return [new DOMRect(picture.x + x - radius, picture.y + y - radius, 2 * radius, 2 * radius)];
    }
    const across = numbers.filter((_, index) => index % 2 === 0);
    const down = numbers.filter((_, index) => index % 2 === 1);
    const [left, top] = [Math.min(...across), Math.min(...down)];
    return [new DOMRect(picture.x + left, picture.y + top, Math.max(...across) - left, Math.max(...down) - top)];
  }
  const hasArea = (/** @type {DOMRect} */ box) => box.width > 0 && box.height > 0;
  const own = [...element.getClientRects()].filter(hasArea);
  if (own.length > 0) {
    return own;
  }
  const range = document.createRange();
  range.selectNodeContents(element);
  return [...range.getClientRects()].filter(hasArea);
}
