// @ts-check
/**
 * Tells at once when the page's listeners have heard a click and nothing more comes of it: it leads nowhere by
 * itself, or they have kept its form from being sent. Called while the event is on its way to them, so that the
 * listener here is the last. Says nothing where a listener stops the event.
 * @param {Event} event a `click` or a `submit`
 * @param {Element} target what is pressed
 * @param {() => void} tell
 * @param {AbortSignal} signal ends the waiting
 */
function whenHeard(event, target, tell, signal) {
  // The path does not show what is in closed shadow roots, as custom elements have them.
  const mayLeadAway = (/** @type {EventTarget} */ node) => {
    const { localName = '', form, type } = /** @type {HTMLButtonElement} */ (node);
    return localName.includes('-') || ['a', 'area', 'label'].includes(localName) || (form && ['submit', 'image'].includes(type));
  };
  const isOver = () => {
    const within = target.closest('a, area, label, button, input') ?? target;
    return event.defaultPrevented || (event.type === 'click' && ![...event.composedPath(), within].some(mayLeadAway));
  };
  // A listener may click on something else meanwhile.
  addEventListener(event.type, (heard) => heard === event && isOver() && tell(), { signal });
}
