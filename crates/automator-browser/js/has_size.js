// @ts-check
/**
 * Waits until the viewport has this size.
 * @param {number} width
 * @param {number} height
 * @returns {Promise<void>}
 */
function hasSize(width, height) {
  return new Promise((resolve) => {
    const look = () => {
      if (innerWidth === width && innerHeight === height) {
        resolve();
      } else {
        setTimeout(look, 10);
      }
    };
    look();
  });
}
