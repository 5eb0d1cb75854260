// @ts-check
/**
 * Empties a file input, with the events that a user's choice makes.
 * @this {HTMLInputElement}
 */
function clearFiles() {
  if (this.files?.length) {
    this.value = '';
    this.dispatchEvent(new Event('input', { bubbles: true, composed: true }));
    this.dispatchEvent(new Event('change', { bubbles: true }));
  }
}
