// @ts-check
/**
 * Changes how the document looks for a picture, until `undoPicture`. Style sheets are adopted and not inserted, so
 * that observers of the page see nothing, and its policy has no say.
 * @this {import('./library').Library}
 * @param {string} css style sheet text for the document and its shadow roots
 * @param {boolean} hidesCaret
 * @param {boolean} stopsAnimations finite ones are shown at their end, endless ones at their beginning
 */
function preparePicture(css, hidesCaret, stopsAnimations) {
  this.undoPicture();
  /** @type {(() => void)[]} */
  const undo = [];
  this.pictureUndo = undo;
  /** @type {Root[]} */
  const roots = [document];
  if (css || stopsAnimations) {
    for (const place of this.composed(document)) {
      if (place instanceof ShadowRoot) {
        roots.push(place);
      }
    }
  }
  /** @typedef {import('./library').Root} Root */
  /** @param {Root} root @param {string} text */
  const adopt = (root, text) => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(text);
    root.adoptedStyleSheets = [...root.adoptedStyleSheets, sheet];
    undo.push(() => {
      root.adoptedStyleSheets = root.adoptedStyleSheets.filter((other) => other !== sheet);
    });
  };
  if (css) {
    for (const root of roots) {
      adopt(root, css);
    }
  }
  if (hidesCaret) {
    // Only what has the focus shows one.
    /** @type {Root | null} */
    let root = document;
    while (root) {
      adopt(root, '* { caret-color: transparent !important }');
      /** @type {Element | null} */
      const active = root.activeElement;
      root = active && this.shadowRoot(active);
    }
  }
  /** @param {ComputedEffectTiming} timing */
  const beginning = ({ delay = 0, duration }) => {
    // One that is under way from the start has its beginning again only after whole rounds, there and back.
    const round = 2 * Number(duration);
    return delay < 0 && round > 0 ? delay + Math.ceil(-delay / round) * round : delay;
  };
  if (stopsAnimations) {
    const animations = new Set(roots.flatMap((root) => root.getAnimations()));
    for (const animation of animations) {
      const time = animation.currentTime;
      const timing = animation.effect?.getComputedTiming();
      if (animation.playState !== 'running' || typeof time !== 'number' || !timing) {
        continue;
      }
      const end = Number(timing.endTime);
      undo.push(() => {
        animation.currentTime = time;
        animation.play();
      });
      animation.pause();
      animation.currentTime = Number.isFinite(end) && animation.playbackRate > 0 ? end : beginning(timing);
    }
  }
}
