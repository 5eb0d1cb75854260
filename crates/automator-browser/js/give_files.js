// @ts-check
/**
 * Gives files to a file input, with the events that a user's choice makes; none empty it.
 * @this {HTMLInputElement}
 * @param {{ name: string, type: string, lastModified: number | null, data: string }[]} files
 */
function giveFiles(files) {
  if (!files.length && !this.files?.length) {
    return;
  }
  const transfer = new DataTransfer();
  for (const { name, type, lastModified, data } of files) {
    const bytes = Uint8Array.from(atob(data), (letter) => letter.charCodeAt(0));
    transfer.items.add(new File([bytes], name, { type, lastModified: lastModified ?? Date.now() }));
  }
  this.files = transfer.files;
  this.dispatchEvent(new Event('input', { bubbles: true, composed: true }));
  this.dispatchEvent(new Event('change', { bubbles: true }));
}
