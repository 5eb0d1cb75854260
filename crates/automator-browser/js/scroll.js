// @ts-check
/**
 * Scrolls an element, or the page when the element is `html` or `body`, and waits until it has come to rest. Where the
 * page fits its window, what it scrolls is the box in the middle, as by a wheel.
 * @this {import('./library').Library}
 * @param {Element} element
 * @param {{ percent?: number, chunks?: number, across?: number, down?: number }} options a part of the whole way,
 *   or heights of the element, or pixels
 * @returns {Promise<import('./library').Outcome>}
 */
async function scroll(element, { percent, chunks, across, down }) {
  const isPage = element === document.documentElement || element === document.body;
  const canScroll = (/** @type {Element} */ each) =>
    each.scrollHeight > each.clientHeight + 1 || each.scrollWidth > each.clientWidth + 1;
  const isBodyScroller = element === document.body && canScroll(element) && !['visible', 'clip'].includes(getComputedStyle(element).overflowY) && !['visible', 'clip'].includes(getComputedStyle(document.documentElement).overflowY);
  const root = document.scrollingElement ?? document.documentElement;
  const scrolls = (/** @type {Element} */ each) =>
    canScroll(each) && ['auto', 'scroll'].some((way) => [getComputedStyle(each).overflowY, getComputedStyle(each).overflowX].includes(way));
  /** @returns {Element} */
  const middle = () => {
    let box = this.atPoint(innerWidth / 2, innerHeight / 2);
    while (box && !scrolls(box)) {
      box = this.above(box);
    }
    return box ?? root;
  };
  const scroller = !isPage || isBodyScroller ? element : canScroll(root) ? root : middle();
  const most = { x: scroller.scrollWidth - scroller.clientWidth, y: scroller.scrollHeight - scroller.clientHeight };
  if (!isPage && (!canScroll(scroller) || (percent !== undefined && most.y <= 0 && most.x <= 0))) {
    // A box that would scroll, but whose content fits, is at its beginning and at its end.
    const fits = ['auto', 'scroll'].includes(getComputedStyle(scroller).overflowY);
    return fits ? { is: 'done', value: { x: 0, y: 0 } } : { is: 'wait', problem: { why: 'notScrollable' } };
  }
  const before = { x: scroller.scrollLeft, y: scroller.scrollTop };
  const height = scroller === root ? innerHeight : scroller.clientHeight;
  const wanted = {
    x: before.x + (across ?? 0),
    y: percent !== undefined ? (most.y * percent) / 100 : before.y + (chunks ?? 0) * height + (down ?? 0),
  };
  scroller.scrollTo({ left: wanted.x, top: wanted.y, behavior: 'instant' });
  let last = NaN;
  for (let frames = 0; frames < 120 && last !== scroller.scrollTop + scroller.scrollLeft; frames += 1) {
    last = scroller.scrollTop + scroller.scrollLeft;
    await this.nextFrame();
  }
  // Content may grow or shrink on the way, so only what stayed where it was has not been scrolled.
  const least = Math.min(0, scroller.scrollHeight > scroller.clientHeight && getComputedStyle(scroller).flexDirection === 'column-reverse' ? -most.y : 0);
  const isMoved = Math.abs(scroller.scrollTop - before.y) >= 1 || Math.abs(scroller.scrollLeft - before.x) >= 1;
  const isThere = Math.abs(Math.min(Math.max(wanted.y, least), Math.max(most.y, 0)) - scroller.scrollTop) <= 2;
  return { is: isMoved || isThere ? 'done' : 'missed', value: { x: scroller.scrollLeft, y: scroller.scrollTop } };
}
