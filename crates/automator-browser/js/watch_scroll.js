// @ts-check
/**
 * Begins to listen for scrolling in the document, for `scrollRest`.
 * @this {import('./library').Library}
 */
function watchScroll() {
  this.scrollWatch?.end();
  /** @type {Map<EventTarget | null, number>} */
  const moving = new Map();
  /** @param {Event} event */
  const listen = (event) => {
    watch.seen = true;
    if (event.type === 'scrollend') {
      moving.delete(event.target);
    } else {
      moving.set(event.target, performance.now());
    }
  };
  const watch = {
    seen: false,
    moving,
    end() {
      removeEventListener('scroll', listen, true);
      removeEventListener('scrollend', listen, true);
    },
  };
  addEventListener('scroll', listen, { capture: true, passive: true });
  addEventListener('scrollend', listen, { capture: true, passive: true });
  this.scrollWatch = watch;
}
