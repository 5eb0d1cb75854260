// @ts-check
// Draws the pictures of the page.

/** Before each picture: the width and the height of the page, two bytes each. */
const HEAD = 4;

/**
 * @typedef {object} Picture
 * @property {(message: ArrayBuffer) => void} take draws a picture
 * @property {(event: MouseEvent) => { x: number, y: number }} place where in the page an event is
 * @property {() => void} clear takes the picture away
 */

/**
 * @param {HTMLCanvasElement} canvas
 * @param {() => void} shown is told after each picture
 * @returns {Picture}
 */
export function picture(canvas, shown) {
  const context = canvas.getContext('2d');
  const page = { width: 0, height: 0 };
  // One after the other: they are decoded aside, and a small one would overtake a large one.
  let drawing = Promise.resolve();
  let isCleared = false;

  /** @param {ArrayBuffer} message */
  async function draw(message) {
    const head = new DataView(message, 0, HEAD);
    try {
      const bitmap = await createImageBitmap(new Blob([new Uint8Array(message, HEAD)], { type: 'image/jpeg' }));
      if (isCleared) {
        bitmap.close();
        return;
      }
      page.width = head.getUint16(0);
      page.height = head.getUint16(2);
      if (canvas.width !== bitmap.width || canvas.height !== bitmap.height) {
        canvas.width = bitmap.width;
        canvas.height = bitmap.height;
      }
      context?.drawImage(bitmap, 0, 0);
      bitmap.close();
      canvas.hidden = false;
    } catch {
      // One that cannot be drawn is left out: the next one comes only when this one is answered.
    }
    shown();
  }

  return {
    take(message) {
      isCleared = false;
      drawing = drawing.then(() => draw(message));
    },
    place(event) {
      const box = canvas.getBoundingClientRect();
      const part = (/** @type {number} */ at, /** @type {number} */ whole) => Math.min(Math.max(at / whole, 0), 1);
      return {
        x: part(event.clientX - box.left, box.width) * page.width,
        y: part(event.clientY - box.top, box.height) * page.height,
      };
    },
    clear() {
      isCleared = true;
      canvas.hidden = true;
    },
  };
}
