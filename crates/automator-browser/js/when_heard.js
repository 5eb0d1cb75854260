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
  // The path does not show what is in closed shadow roots. Custom elements have them, and so may what shows something
  // without having it.
  const mayHide = (/** @type {Element} */ node) => {
    if (node.localName.includes('-') || this.shadowRoot(node)?.mode === 'closed') {
      return true;
    }
    const content = document.createRange();
    content.selectNodeContents(node);
    return content.getClientRects().length === 0 && this.maySprout(node);
  };
  const mayLeadAway = (/** @type {EventTarget} */ node) => {
    const { localName, form, type } = /** @type {HTMLButtonElement} */ (node);
    return ['a', 'area', 'label'].includes(localName) || (form && ['submit', 'image'].includes(type));
  };
  const isOver = () => {
    const path = event.composedPath();
    const within = target.closest('a, area, label, button, input') ?? target;
    const mayDoMore = () => [...path, within].some(mayLeadAway) || path.some((node) => node instanceof Element && mayHide(node));
    return event.defaultPrevented || (event.type === 'click' && !mayDoMore());
  };
  // A listener may click on something else meanwhile.
  addEventListener(event.type, (heard) => heard === event && isOver() && tell(), { signal });
}
