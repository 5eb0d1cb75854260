// @ts-check
/**
 * Undoes what `preparePicture` and `maskPicture` did, the last thing first.
 * @this {import('./library').Library}
 */
function undoPicture() {
  const undo = this.pictureUndo ?? [];
  this.pictureUndo = undefined;
  for (const step of undo.reverse()) {
    step();
  }
}
