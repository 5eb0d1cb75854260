// @ts-check
/**
 * Whether a drag that the browser takes over has begun since `watchDrag`.
 * @this {import('./library').Library}
 * @returns {boolean}
 */
function dragBegan() {
  const began = this.dragWatch?.began() ?? false;
  if (began) {
    this.dragWatch?.end();
  }
  return began;
}
