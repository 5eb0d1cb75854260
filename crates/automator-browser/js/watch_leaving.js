// @ts-check
/**
 * Notes how things stand when the beginning of a press takes the focus away from a field, before the page hears of
 * that: what is done to the element from then on is none of its own doing, as when a hint appears above it.
 * @this {import('./library').Library}
 * @param {import('./library').Guard} guard of a press that has arrived
 * @param {Event} press its first event
 * @param {AbortSignal} signal ends it
 */
function watchLeaving(guard, press, signal) {
  const { target } = guard;
  const note = (/** @type {MutationRecord[]} */ changes) => {
    const inside = changes.filter(({ target: node }) => target.contains(node));
    guard.isAnswered ||= inside.some(({ attributeName }) => attributeName?.startsWith('aria-'));
    guard.hasTouched ||= inside.length < changes.length;
  };
  const observer = new MutationObserver(note);
  const noteAll = () => {
    note(observer.takeRecords());
    observer.disconnect();
  };
  const stands = () => this.obstacle(target) === null && this.reaches(target, this.atPoint(guard.at.x, guard.at.y));
  const left = (/** @type {Event} */ event) => {
    if (!event.isTrusted || guard.stood !== null) {
      return;
    }
    noteAll();
    guard.hasTouched ||= press.defaultPrevented;
    guard.stood = stands();
  };
  // What comes of its own focus is its doing again.
  const focused = (/** @type {Event} */ event) => {
    if (event.isTrusted && event.target !== window) {
      guard.stood = guard.stood === true && !stands();
    }
  };
  const watchIn = (/** @type {Node} */ root) => {
    const host = root instanceof ShadowRoot ? root.host : null;
    observer.observe(root, { subtree: true, childList: true, attributes: true, characterData: true });
    for (const type of ['change', 'blur', 'focusout']) {
      (host ? root : window).addEventListener(type, left, { capture: true, signal });
    }
    if (host) {
      watchIn(host.getRootNode());
    }
  };
  watchIn(target.getRootNode());
  addEventListener('focus', focused, { capture: true, signal });
  // From the release on all is decided; that of a finger comes before its press becomes one of the mouse.
  const released = (/** @type {PointerEvent} */ event) => {
    if (event.pointerType !== 'touch') {
      noteAll();
      guard.stood ??= false;
    }
  };
  addEventListener('pointerup', released, { capture: true, signal });
  signal.addEventListener('abort', () => observer.disconnect());
}
