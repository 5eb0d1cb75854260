// @ts-check
/**
 * Watches where the coming press goes. When it would reach something else than it was meant for, nobody in the
 * page gets to see it, so that it can be tried again.
 * @this {import('./library').Library}
 * @param {import('./library').Coming} coming
 * @param {Element} target what is pressed
 * @param {Element} element what is meant: the target, or the control of this label
 * @param {{ x: number, y: number }} at where it is pressed
 * @param {Element | null} hit what is there now
 */
function watch({ name, presses, isTap }, target, element, at, hit) {
  this.unwatch?.();
  let end = () => {};
  const over = new Promise((resolve) => {
    end = () => resolve(undefined);
  });
  const { checked = false, indeterminate = false } = this.checkable(element) ?? {};
  /** @type {import('./library').Guard} */
  const guard = {
    name, target, element, at, hit, presses, before: { checked, indeterminate },
    pressed: false, pressedNode: null, released: false, clicks: 0, toggled: false, strayed: false,
    entered: false, touches: [], blocked: null, stood: null, hasTouched: false, isAnswered: false, over, end,
  };
  // Listeners outside of a closed root see its host alone, so those inside judge what they do not.
  /** @type {EventTarget[]} */
  const places = [window];
  const closedHosts = new Set();
  for (let root = target.getRootNode(); root instanceof ShadowRoot; root = root.host.getRootNode()) {
    if (root.mode === 'closed') {
      places.push(root);
      closedHosts.add(root.host);
    }
  }
  const take = (/** @type {Event} */ event) => {
    if (!event.isTrusted) {
      return;
    }
    const wasPressed = guard.pressed;
    if (event.type !== 'submit' && !closedHosts.has(event.composedPath()[0])) {
      this.judgePress(guard, event);
    }
    if (guard.pressed && !wasPressed) {
      this.watchLeaving(guard, event, listening.signal);
    }
    if (event.currentTarget === window && event.type === 'mouseup' && /** @type {MouseEvent} */ (event).detail >= presses) {
      // The click comes with it, so all is over in the next task. A drawn frame may come before that.
      scheduler.postTask(end, { priority: 'user-blocking' });
    }
    if (event.currentTarget === window && presses === 1 && !guard.blocked && ['click', 'submit'].includes(event.type)) {
      this.whenHeard(event, target, end, listening.signal);
    }
    if (guard.blocked && event.type !== 'submit') {
      event.preventDefault();
      event.stopImmediatePropagation();
    }
  };
  const types = [
    'pointerdown', 'mousedown', 'pointerup', 'mouseup', 'click', 'auxclick', 'contextmenu', 'dblclick', 'submit',
  ];
  if (isTap) {
    // Not for the mouse: each such listener, coming and going, has the browser draw the page anew before the press.
    types.push('touchstart', 'touchend');
  }
  const listening = new AbortController();
  // A press that goes into a frame takes the focus there, and is not seen here.
  const noteEntered = (/** @type {FocusEvent} */ event) => {
    guard.entered ||= event.target === window && presses > 0 && !guard.pressed;
  };
  addEventListener('blur', noteEntered, { capture: true, signal: listening.signal });
  for (const place of places) {
    for (const type of types) {
      place.addEventListener(type, take, { capture: true, passive: false, signal: listening.signal });
    }
  }
  this.guard = guard;
  this.unwatch = () => {
    listening.abort();
    this.unwatch = undefined;
    this.guard = undefined;
    end();
  };
  // Whoever set the guard may have given up meanwhile.
  setTimeout(() => this.guard === guard && !guard.pressed && this.unwatch?.(), 5_000);
}
