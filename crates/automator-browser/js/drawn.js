// @ts-check
/**
 * Waits until what has just been changed has left the document for the screen: the frame after the next one is begun
 * when the next one was handed on, and the one after that when it is up.
 * @returns {Promise<void>}
 */
async function drawn() {
  for (let frames = 0; frames < 3; frames += 1) {
    await new Promise((resolve) => {
      requestAnimationFrame(resolve);
    });
  }
}
