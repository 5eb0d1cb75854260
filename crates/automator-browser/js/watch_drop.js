// @ts-check
/**
 * Begins to look whether something is dropped in the document; `dropped` tells.
 * @this {import('./library').Library}
 */
function watchDrop() {
  this.dropWatch?.end();
  let hasCome = false;
  const listen = () => {
    hasCome = true;
  };
  addEventListener('drop', listen, true);
  this.dropWatch = {
    came: () => hasCome,
    end: () => removeEventListener('drop', listen, true),
  };
}
