// @ts-check
/**
 * The points of an element to try, as far as they are in the viewport: the middle of each of its boxes first.
 * @this {import('./library').Library}
 * @param {Element} element
 * @param {{ x: number, y: number } | null} position a point relative to the upper left corner, the only one then
 * @returns {{ x: number, y: number }[]}
 */
function points(element, position) {
  const boxes = this.boxes(element);
  const [width, height] = [innerWidth, innerHeight];
  if (position) {
    const box = element.getBoundingClientRect();
    const at = { x: box.x + position.x, y: box.y + position.y };
    return at.x >= 0 && at.y >= 0 && at.x < width && at.y < height ? [at] : [];
  }
  const shares = [[0.5, 0.5], [0.5, 0.25], [0.5, 0.75], [0.25, 0.5], [0.75, 0.5], [0.1, 0.1], [0.9, 0.1], [0.1, 0.9], [0.9, 0.9]];
  const found = [];
  // A line is nowhere near the middle of its box.
  const line = element instanceof SVGGeometryElement ? element.getTotalLength() : 0;
  const matrix = line > 0 ? /** @type {SVGGeometryElement} */ (element).getScreenCTM() : null;
  const onLine = [0.5, 0.25, 0.75, 0.1, 0.9].map((share) =>
    matrix ? /** @type {SVGGeometryElement} */ (element).getPointAtLength(line * share).matrixTransform(matrix) : null,
  );
  for (const [across, down] of shares) {
    for (const box of boxes.slice(0, 20)) {
      const at = { x: box.x + box.width * across, y: box.y + box.height * down };
      if (at.x >= 0 && at.y >= 0 && at.x < width && at.y < height) {
        found.push(at);
      } else if (across === 0.5 && down === 0.5) {
        // The middle of the part in view, of what is larger than the viewport.
        const [left, right] = [Math.max(0, box.left), Math.min(width, box.right)];
        const [top, bottom] = [Math.max(0, box.top), Math.min(height, box.bottom)];
        if (right - left >= 1 && bottom - top >= 1) {
          found.push({ x: (left + right) / 2, y: (top + bottom) / 2 });
        }
      }
    }
  }
  for (const point of onLine) {
    if (point && point.x >= 0 && point.y >= 0 && point.x < width && point.y < height) {
      found.push({ x: point.x, y: point.y });
    }
  }
  return found;
}
