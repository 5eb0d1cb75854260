// @ts-check
/**
 * An element in a few words, for messages: `div#id.class "text"`.
 * @param {Element | null} element
 * @returns {string}
 */
function describe(element) {
  if (!element) {
    return 'nothing';
  }
  // Names that are no plain words are the page's attempt to say something.
  const isPlain = (/** @type {string} */ name) => /^[\p{L}\p{N}_:-]{1,60}$/u.test(name);
  const id = isPlain(element.id) ? `#${element.id}` : '';
  const classes = [...element.classList].filter(isPlain).slice(0, 3).map((name) => `.${name}`).join('');
  const text = (element.getAttribute('aria-label') ?? element.textContent ?? '').slice(0, 2_000).replace(/\s+/g, ' ').trim();
  const short = text.length > 60 ? `${[...text.slice(0, 200)].slice(0, 60).join('')}…` : text;
  return `${element.localName}${id}${classes}`.slice(0, 120) + (short ? ` "${short}"` : '');
}
