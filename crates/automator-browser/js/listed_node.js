// @ts-check
/**
 * The option that `listed` has found last, as the only entry of a list.
 * @this {import('./library').Library}
 * @returns {(Element | undefined)[]}
 */
function listedNode() {
  return [this.listedOption];
}
