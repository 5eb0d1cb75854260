// @ts-check
/**
 * Watches whether a press makes the document set out for another one.
 * @this {import('./library').Library}
 * @param {Element} target what is pressed
 * @returns {import('./library').DepartureWatch}
 */
function watchDeparture(target) {
  /** @type {EventTarget[]} */
  const roots = [window];
  for (let root = target.getRootNode(); root instanceof ShadowRoot; root = root.host.getRootNode()) {
    roots.push(root);
  }
  // A form is sent in a task of its own, which comes after this event.
  let isFormSent = false;
  const noteForm = () => {
    isFormSent = true;
  };
  for (const root of roots) {
    root.addEventListener('formdata', noteForm, { capture: true });
  }
  /** @type {NavigateEvent | null} */
  let setOut = null;
  const note = (/** @type {Event} */ event) => {
    setOut = /** @type {NavigateEvent} */ (event);
  };
  // The page has gone there by itself, in this document.
  const stay = () => {
    setOut = null;
  };
  // Documents without an origin of their own do not tell, and a frame does not know where its page goes.
  const isFrame = self !== top;
  const knows = navigation.currentEntry !== null;
  navigation.addEventListener('navigate', note);
  navigation.addEventListener('currententrychange', stay);
  const addresses = ['http:', 'https:', 'file:', 'data:', 'blob:', 'about:'];
  return {
    // A link with a script runs it in a task of its own.
    isPutOff: () => isFormSent || target.closest('a[href^="javascript:" i]') !== null,
    leaves: () => {
      if (isFrame) {
        return null;
      }
      if (!setOut || setOut.defaultPrevented || setOut.destination.sameDocument || navigation.transition) {
        return knows ? false : null;
      }
      return setOut.downloadRequest === null && addresses.includes(new URL(setOut.destination.url).protocol);
    },
    end: () => {
      for (const root of roots) {
        root.removeEventListener('formdata', noteForm, { capture: true });
      }
      navigation.removeEventListener('navigate', note);
      navigation.removeEventListener('currententrychange', stay);
    },
  };
}
