// @ts-check
/**
 * Ends what `watchDrag` began.
 * @this {import('./library').Library}
 */
function endDragWatch() {
  this.dragWatch?.end();
  this.dragWatch = undefined;
}
