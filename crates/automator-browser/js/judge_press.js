// @ts-check
/**
 * Notes where a part of a press goes that a guard watches.
 * @this {import('./library').Library}
 * @param {import('./library').Guard} guard
 * @param {Event} event as a listener sees it that sees all of its path
 */
function judgePress(guard, event) {
  const { target, element, hit, presses } = guard;
  const path = event.composedPath();
  const isOnIt = path.some((node) => node === target || node === element);
  const isAtPoint = event.target === hit && hit !== document.body && hit !== document.documentElement;
  // The first of several presses may have had the page draw the element anew.
  const isInItsPlace = (/** @type {EventTarget} */ node) =>
    node instanceof Element &&
    node.localName === target.localName &&
    (target.id ? node.id === target.id : node.textContent === target.textContent);
  const arrives = presses > 0 && (isOnIt || isAtPoint || (guard.pressed && !target.isConnected && path.some(isInItsPlace)));
  const isFirst = !guard.pressed && ['pointerdown', 'mousedown', 'touchstart'].includes(event.type);
  const isLater = guard.pressed && event.type === 'mousedown' && /** @type {MouseEvent} */ (event).detail > 1;
  if ((isFirst || isLater) && !guard.blocked) {
    guard.pressed ||= arrives;
    guard.blocked = arrives ? null : this.describe(/** @type {Element} */ (path[0]));
  }
  if (event.type === 'mousedown') {
    guard.pressedNode = /** @type {Node} */ (path[0]);
  }
  if (event.type.startsWith('touch')) {
    guard.touches.push(event);
  }
  const isClick = ['click', 'auxclick', 'contextmenu'].includes(event.type);
  guard.clicks += Number(isClick && arrives && !guard.blocked);
  guard.toggled ||= arrives && event.type === 'click';
  guard.released ||= arrives && event.type === 'mouseup';
  guard.strayed ||= !arrives && (isClick || event.type === 'mouseup');
}
