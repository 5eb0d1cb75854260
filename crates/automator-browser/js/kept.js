// @ts-check
/**
 * The element that was kept to be named, as the only entry of a list.
 * @this {import('./library').Library}
 * @returns {(Element | undefined)[]}
 */
function kept() {
  const element = this.keptElement;
  this.keptElement = undefined;
  return [element];
}
