// @ts-check
/**
 * The shadow root of a place, also a closed one if it is known.
 * @this {import('./library').Library}
 * @param {import('./library').Place} place
 * @returns {ShadowRoot | null}
 */
function shadowRoot(place) {
  return this.isElement(place) ? (place.shadowRoot ?? this.closedRoots?.get(place) ?? null) : null;
}
