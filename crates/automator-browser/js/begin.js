// @ts-check
/**
 * Begins to watch the document for changes; called once, when the library is installed. What `settled` asks for is
 * counted backwards from here, so a document that has long come to rest costs no waiting.
 *
 * Not counted are changes of `style` alone (animation by script), and a node that has been changing for longer than a
 * second without a pause (a clock, a ticker). When all changes together go on for that long, they end to count too.
 * @this {import('./library.d.ts').Library}
 * @returns {import('./library.d.ts').Library}
 */
function begin() {
  const quiet = 250;
  const longest = 1000;
  // A node that changes again within this time has been changing all along, also where the machine is slow.
  const pause = 500;
  // Bounds for the work that one batch of records may cause; a document being parsed brings very many.
  const recordsRead = 100;
  const nodesEntered = 1000;
  const nodesEnteredAtFirst = 20_000;
  const options = { attributes: true, characterData: true, childList: true, subtree: true };
  const now = performance.now();
  const rest = { began: now, last: now };
  /** @type {WeakMap<Node, { began: number, last: number }>} */
  const runs = new WeakMap();

  /** @param {MutationRecord} record @param {number} now */
  const counts = (record, now) => {
    if (record.attributeName === 'style') {
      return false;
    }
    const run = runs.get(record.target);
    if (!run || now - run.last > pause) {
      runs.set(record.target, { began: now, last: now });
      return true;
    }
    run.last = now;
    return now - run.began <= longest;
  };
  // An observer does not see into shadow roots. Closed ones stay unseen.
  /** @param {Iterable<Node>} nodes @param {number} left */
  const enter = (nodes, left) => {
    for (const node of nodes) {
      if (left <= 0) {
        break;
      }
      left -= 1;
      if (node instanceof Element) {
        left = this.watchRoots(node, left, (root) => observer.observe(root, options));
      }
    }
    return left;
  };
  const observer = new MutationObserver((records) => {
    const now = performance.now();
    if (records.slice(0, recordsRead).some((record) => counts(record, now))) {
      if (now - rest.last > quiet) {
        rest.began = now;
      }
      rest.last = now;
    }
    let left = nodesEntered;
    for (const record of records) {
      left = enter(record.addedNodes, left);
      if (left <= 0) {
        break;
      }
    }
  });
  observer.observe(document, options);
  enter(document.childNodes, nodesEnteredAtFirst);
  this.document = document;
  this.restsAt = (quietMs) => Math.min(rest.last + quietMs, rest.began + longest);
  return this;
}
