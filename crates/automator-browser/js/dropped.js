// @ts-check
/**
 * Whether something was dropped in the document since `watchDrop`: a page that takes nothing at a place gets no drop
 * there.
 * @this {import('./library').Library}
 * @returns {boolean}
 */
function dropped() {
  const came = this.dropWatch?.came() ?? false;
  this.dropWatch?.end();
  this.dropWatch = undefined;
  return came;
}
