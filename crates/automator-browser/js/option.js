// @ts-check
/**
 * The option with this value, label or text: exactly, else the only one that differs in blanks and case alone.
 * @param {HTMLOptionElement[]} options
 * @param {import('./library').WantedOption} choice
 * @returns {HTMLOptionElement | undefined}
 */
function option(options, choice) {
  if (typeof choice === 'number') {
    return options[choice];
  }
  const wanted = typeof choice === 'string' ? choice : choice.shown;
  const plain = (/** @type {string} */ text) => text.replace(/\s+/g, ' ').trim();
  const hasValue = (/** @type {HTMLOptionElement} */ each) => each.value === wanted;
  const shows = [
    (/** @type {HTMLOptionElement} */ each) => each.label === wanted || each.text === wanted,
    (/** @type {HTMLOptionElement} */ each) => plain(each.label) === plain(wanted) || plain(each.text) === plain(wanted),
  ];
  for (const test of typeof choice === 'string' ? [hasValue, ...shows] : [...shows, hasValue]) {
    const exact = options.filter(test);
    const usable = exact.find((each) => !each.matches(':disabled')) ?? exact[0];
    if (usable) {
      return usable;
    }
  }
  const loose = options.filter((each) =>
    [each.value, each.label, each.text].some((text) => plain(text).toLowerCase() === plain(wanted).toLowerCase()),
  );
  return loose.length === 1 ? loose[0] : undefined;
}
