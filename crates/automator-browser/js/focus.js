// @ts-check
/**
 * Puts the focus on an element, and counts the keys that arrive from then on.
 * @this {import('./library').Library}
 * @param {Element} element
 * @param {{ mustTake: boolean }} options whether an element that takes no focus is an obstacle
 * @returns {import('./library').Outcome}
 */
function focus(element, { mustTake }) {
  const problem = this.obstacle(element);
  if (problem) {
    return { is: 'wait', problem };
  }
  const target = /** @type {HTMLElement} */ (element);
  const root = /** @type {Document | ShadowRoot} */ (element.getRootNode());
  // A page may give the focus away again as soon as it comes.
  let hasCome = false;
  if (root.activeElement !== element) {
    const come = () => (hasCome = true);
    target.addEventListener('focus', come, { capture: true });
    target.focus();
    target.removeEventListener('focus', come, { capture: true });
  }
  const active = root.activeElement;
  const hasFocus = active !== null && (active === element || element.contains(active) || (active.contains(element) && target.isContentEditable));
  if (mustTake && !hasFocus && !hasCome) {
    return { is: 'wait', problem: { why: 'noFocus' } };
  }
  const keys = { arrived: 0 };
  const take = (/** @type {Event} */ event) => {
    keys.arrived += event.isTrusted ? 1 : 0;
  };
  this.unwatchKeys?.();
  const types = ['keydown', 'beforeinput', 'input'];
  for (const type of types) {
    addEventListener(type, take, { capture: true });
  }
  this.unwatchKeys = () => {
    for (const type of types) {
      removeEventListener(type, take, { capture: true });
    }
    this.unwatchKeys = undefined;
    return keys.arrived;
  };
  return { is: 'done', value: { hasFocus } };
}
