// @ts-check
/**
 * Watches where the coming press goes. When it would reach something else than it was meant for, nobody in the
 * page gets to see it, so that it can be tried again.
 * @this {import('./library').Library}
 * @param {string} name
 * @param {Element} target what is pressed
 * @param {Element} element what is meant: the target, or the control of this label
 * @param {Element | null} hit what is at the point now
 * @param {number} presses how many belong together; none when they are meant for a frame in this document
 */
function watch(name, target, element, hit, presses) {
  this.unwatch?.();
  let end = () => {};
  const over = new Promise((resolve) => {
    end = () => resolve(undefined);
  });
  /** @type {import('./library').Guard} */
  const guard = {
    name, target, element, pressed: false, released: false, clicked: false, toggled: false, blocked: null, over, end,
    wasChecked: this.checkbox(element)?.checked ?? null, departure: this.watchDeparture(target),
  };
  const closedHosts = new Set();
  for (let root = target.getRootNode(); root instanceof ShadowRoot; root = root.host.getRootNode()) {
    if (root.mode === 'closed') {
      closedHosts.add(root.host);
    }
  }
  const isMeant = (/** @type {Event} */ event) =>
    presses > 0 &&
    (event.composedPath().some((node, depth) => node === target || node === element || (depth === 0 && closedHosts.has(node))) ||
      (event.target === hit && hit !== document.body && hit !== document.documentElement));
  const take = (/** @type {Event} */ event) => {
    if (!event.isTrusted) {
      return;
    }
    if (!guard.pressed && !guard.blocked && ['pointerdown', 'mousedown', 'touchstart'].includes(event.type)) {
      if (isMeant(event)) {
        guard.pressed = true;
      } else {
        guard.blocked = this.describe(/** @type {Element} */ (event.composedPath()[0]));
      }
    }
    if (event.type === 'mouseup') {
      // The click itself may be kept from us by a listener of the page, but it follows where both have arrived.
      guard.released ||= isMeant(event);
      if (/** @type {MouseEvent} */ (event).detail >= presses) {
        // The click comes with it, so all is over in the next task. A drawn frame may come before that.
        scheduler.postTask(end, { priority: 'user-blocking' });
      }
    }
    const endsIt = presses === 1 && !guard.blocked && ['click', 'submit'].includes(event.type);
    if (endsIt) {
      this.whenHeard(event, target, end, listening.signal);
    }
    if (event.type === 'submit') {
      return;
    }
    if (guard.blocked) {
      event.preventDefault();
      event.stopImmediatePropagation();
    } else if (['click', 'auxclick', 'contextmenu', 'dblclick'].includes(event.type)) {
      guard.clicked ||= isMeant(event);
      guard.toggled ||= event.type === 'click' && presses % 2 === 1;
    }
  };
  const types = [
    'pointerdown', 'mousedown', 'touchstart', 'pointerup', 'mouseup', 'touchend', 'click', 'auxclick',
    'contextmenu', 'dblclick', 'submit',
  ];
  const listening = new AbortController();
  for (const type of types) {
    addEventListener(type, take, { capture: true, passive: false, signal: listening.signal });
  }
  this.guard = guard;
  this.unwatch = () => {
    listening.abort();
    guard.departure.end();
    this.unwatch = undefined;
    this.guard = undefined;
    end();
  };
  // Whoever set the guard may have given up meanwhile.
  setTimeout(() => this.guard === guard && !guard.pressed && this.unwatch?.(), 5_000);
}
