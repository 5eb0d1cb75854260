// @ts-check
/**
 * The file input that was made ready.
 * @this {import('./library').Library}
 * @returns {Element | undefined}
 */
function fileInput() {
  return this.filing?.input;
}
