// @ts-check
/**
 * Whether an element keeps its place from this moment to the next animation frame. A document that has not changed
 * for a while, in which nothing scrolls and no animation moves the element, needs no waiting.
 * @this {import('./library').Library}
 * @param {Element} element
 * @returns {Promise<boolean>}
 */
async function isStill(element) {
  const calm = 100;
  if (!this.changed) {
    const changed = { at: performance.now() };
    const note = () => {
      changed.at = performance.now();
    };
    new MutationObserver(note).observe(document, { attributes: true, characterData: true, childList: true, subtree: true });
    for (const type of ['load', 'resize', 'scroll']) {
      addEventListener(type, note, { capture: true, passive: true });
    }
    this.changed = changed;
  }
  // The observer does not see into shadow roots.
  const isCalm = performance.now() - this.changed.at > calm && element.getRootNode() === document;
  const moves = (/** @type {Animation} */ { playState, effect }) =>
    playState === 'running' && effect instanceof KeyframeEffect && effect.target?.contains(element);
  if (isCalm && !document.getAnimations().some(moves)) {
    return true;
  }
  const place = () => {
    const { x, y, width, height } = element.getBoundingClientRect();
    return `${x} ${y} ${width} ${height}`;
  };
  const before = place();
  await this.nextFrame();
  return element.isConnected && place() === before;
}
