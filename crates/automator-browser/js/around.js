// @ts-check
/**
 * A point inside a frame as a point of the document that holds the frame.
 * @param {Element} frame the frame's element
 * @param {number} x
 * @param {number} y
 * @returns {{ x: number, y: number }}
 */
function around(frame, x, y) {
  const owner = /** @type {HTMLIFrameElement} */ (frame);
  const box = owner.getBoundingClientRect();
  const style = getComputedStyle(owner);
  const [across, down] = [box.width / owner.offsetWidth || 1, box.height / owner.offsetHeight || 1];
  return {
    x: box.x + (owner.clientLeft + parseFloat(style.paddingLeft) + x) * across,
    y: box.y + (owner.clientTop + parseFloat(style.paddingTop) + y) * down,
  };
}
