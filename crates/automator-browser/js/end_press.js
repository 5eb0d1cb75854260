// @ts-check
/**
 * Nothing more comes of a press that a guard watches: the browser has delivered it all.
 * @this {import('./library').Library}
 * @param {string} name of the guard
 */
function endPress(name) {
  if (this.guard?.name === name) {
    this.guard.end();
  }
}
