// @ts-check
// The parts of a page, by their ids.

/**
 * One that is missing, or of another kind, is a mistake in the page.
 * @template {HTMLElement} T
 * @param {string} id
 * @param {new () => T} kind
 * @returns {T}
 */
export function part(id, kind) {
  const element = document.getElementById(id);
  if (!(element instanceof kind)) {
    throw new Error(`#${id} is missing`);
  }
  return element;
}
