// @ts-check
/**
 * The origin of the document, if it is one that may use what only secure pages may.
 * @returns {string | null}
 */
function secureOrigin() {
  return isSecureContext && origin !== 'null' ? origin : null;
}
