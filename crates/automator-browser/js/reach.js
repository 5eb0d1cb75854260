// @ts-check
/**
 * Waits for an element, and then until an action on it can be done; does it, and tells how it went.
 *
 * An action says `wait` as long as it has done nothing and the element is not ready for it.
 * @this {import('./library').Library}
 * @param {import('./library').Request} request
 * @param {Element | null} element
 * @param {import('./library').Root | null} root
 * @param {...ShadowRoot} closedRoots
 * @returns {Promise<import('./library').Outcome>}
 */
async function reach(request, element, root, ...closedRoots) {
  const known = this.knowRoots(closedRoots);
  const begun = performance.now();
  let readySince = 0;
  for (;;) {
    const found = this.locate(request, element, root);
    if (typeof found === 'string') {
      return { is: 'invalid', problem: found };
    }
    const now = performance.now();
    if (!found) {
      // What is known by its node does not come back.
      if (element || now - begun >= request.appear) {
        return { is: 'missing' };
      }
      await this.pause(Math.min(100, request.appear - (now - begun)));
      continue;
    }
    readySince ||= now;
    for (let current = found.getRootNode(); current instanceof ShadowRoot; current = current.host.getRootNode()) {
      known.set(current.host, current);
    }
    const outcome = await this[request.action](found, request.options);
    if (outcome.is !== 'wait' || performance.now() - readySince >= request.ready) {
      return outcome;
    }
    // What lies over it seldom goes from one frame to the next, and to look for a free place moves the page.
    const why = typeof outcome.problem === 'object' ? outcome.problem.why : '';
    await (['covered', 'outOfView'].includes(why) ? this.pause(100) : this.nextFrame());
  }
}
