// @ts-check
/**
 * Lets the tasks run that the page has put off so far. In a frame without scripts no timer ends; there a few drawn
 * frames do, which come late enough for a timer to be the first wherever there are any.
 * @this {import('./library').Library}
 * @returns {Promise<void>}
 */
async function takeTurn() {
  // What they put off in their turn comes along, such as the form that a link with a script sends.
  const turn = new Promise((resolve) => {
    setTimeout(() => setTimeout(resolve, 0), 0);
  });
  await this.withinFrames(turn, 4);
}
