// @ts-check
/**
 * Covers elements with boxes for a picture, until `undoPicture`. The boxes stand in the top layer, so that nothing
 * of the page is above them.
 * @this {import('./library').Library}
 * @param {string} color
 * @param {...Element} elements
 */
function maskPicture(color, ...elements) {
  this.pictureUndo ??= [];
  const cover = document.createElement('automator-mask');
  cover.popover = 'manual';
  cover.style.cssText =
    'all:initial;display:block;position:absolute;left:0;top:0;width:0;height:0;overflow:visible;margin:0;border:0;padding:0';
  const root = cover.attachShadow({ mode: 'closed' });
  for (const element of elements) {
    for (const rect of [element.getBoundingClientRect()]) {
      const box = document.createElement('div');
      box.style.cssText = `position:absolute;left:${rect.x + scrollX}px;top:${rect.y + scrollY}px;width:${rect.width}px;height:${rect.height}px`;
      box.style.backgroundColor = color;
      root.append(box);
    }
  }
  document.documentElement.append(cover);
  cover.showPopover();
  this.pictureUndo.push(() => cover.remove());
}
