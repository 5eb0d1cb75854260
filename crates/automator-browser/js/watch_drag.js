// @ts-check
/**
 * Begins to listen for a drag that the browser takes over; `dragBegan` tells.
 * @this {import('./library').Library}
 */
function watchDrag() {
  this.dragWatch?.end();
  /** @type {DragEvent | undefined} */
  let start;
  /** @param {DragEvent} event */
  const listen = (event) => {
    start = event;
  };
  addEventListener('dragstart', listen, true);
  this.dragWatch = {
    // The page may forbid the drag, in a listener that runs after ours.
    began: () => start !== undefined && !start.defaultPrevented,
    end: () => removeEventListener('dragstart', listen, true),
  };
}
