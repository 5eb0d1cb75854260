// @ts-check
/**
 * Lets the tasks run that the page has put off so far.
 * @this {import('./library').Library}
 * @returns {Promise<void>}
 */
async function takeTurn() {
  await new Promise((resolve) => {
    setTimeout(resolve, 0);
  });
}
