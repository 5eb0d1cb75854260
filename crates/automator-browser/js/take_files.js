// @ts-check
/**
 * Makes a file input ready to be given files, or gives them to it.
 * @this {import('./library').Library}
 * @param {Element} element
 * @param {{ count: number, files: { name: string, type: string, lastModified: number | null, data: string }[] | null }} options
 * @returns {import('./library').Outcome}
 */
function takeFiles(element, { count, files }) {
  const input = /** @type {HTMLInputElement} */ (this.field(element, 'input[type=file i]'));
  if (input.localName !== 'input' || input.type !== 'file') {
    return { is: 'refused', problem: this.mayChoose(element) ? 'no-file-input-itself' : 'not-a-file-input' };
  }
  if (count > 1 && !input.multiple && !input.webkitdirectory) {
    return { is: 'refused', problem: 'one-file-only' };
  }
  if (input.matches(':disabled')) {
    return { is: 'wait', problem: { why: 'disabled' } };
  }
  const filing = { input, seen: -1 };
  // The page may empty the field again as soon as it has taken the files.
  input.addEventListener('input', () => (filing.seen = input.files?.length ?? 0), { capture: true, once: true });
  this.filing = filing;
  if (!files) {
    return { is: 'done' };
  }
  return this.ready(null, () => {
    const transfer = new DataTransfer();
    for (const { name, type, lastModified, data } of files) {
      const bytes = Uint8Array.from(atob(data), (letter) => letter.charCodeAt(0));
      transfer.items.add(new File([bytes], name, { type, lastModified: lastModified ?? Date.now() }));
    }
    const had = input.files?.length ?? 0;
    input.files = transfer.files;
    if (had + count > 0) {
      input.dispatchEvent(new Event('input', { bubbles: true, composed: true }));
      input.dispatchEvent(new Event('change', { bubbles: true }));
    } else {
      filing.seen = 0;
    }
    return { is: 'done' };
  });
}
