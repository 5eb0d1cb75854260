// @ts-check
/**
 * Tells at once when the page's listeners have heard a click and nothing more comes of it: it leads nowhere by
 * itself, or they have kept its form from being sent. Called while the event is on its way to them, so that the
 * listener here is the last. Says nothing where a listener stops the event.
 * @this {import('./library').Library}
 * @param {Event} event a `click` or a `submit`
 * @param {Element} target what is pressed
 * @param {() => void} tell
 * @param {AbortSignal} signal ends the waiting
 */
function whenHeard(event, target, tell, signal) {
  // The path does not show what is in closed shadow roots. Custom elements have them, and so may what was pressed, when
  // it shows something without having it.
  const hides = (/** @type {Element} */ node) => node.localName.includes('-') || this.shadowRoot(node)?.mode === 'closed';
  const isBare = (/** @type {Element} */ node) => {
    const content = document.createRange();
    content.selectNodeContents(node);
    return content.getClientRects().length === 0;
  };
  const mayLeadAway = (/** @type {EventTarget} */ node) => {
    const { localName, form, type } = /** @type {HTMLButtonElement} */ (node);
    return ['a', 'area', 'label'].includes(localName) || (form && ['submit', 'image'].includes(type));
  };
  const isOver = () => {
    const path = event.composedPath();
    const within = target.closest('a, area, label, button, input') ?? target;
    const mayHide = (/** @type {EventTarget} */ node, /** @type {number} */ depth) =>
      node instanceof Element && (hides(node) || (depth === 0 && this.maySprout(node) && isBare(node)));
    const mayDoMore = () => [...path, within].some(mayLeadAway) || path.some(mayHide);
    return event.defaultPrevented || (event.type === 'click' && !mayDoMore());
  };
  // A listener may click on something else meanwhile.
  addEventListener(event.type, (heard) => heard === event && isOver() && tell(), { signal });
}
