// @ts-check
/**
 * What number a text may be, with a currency or unit around it or not: none, one, or two where a separator can
 * be read both ways.
 * @param {string} text
 * @returns {number[]}
 */
function numbers(text) {
  const around = /^[\p{L}\p{Sc}%\s]+|[\p{L}\p{Sc}%\s]+$/gu;
  const bare = text.replace(around, '').replace(/[\s']/g, '').replace(/^\u2212/, '-').replace(/^\+/, '');
  const found = [];
  // Grouped, or not, by commas with a point before the fraction; and the other way round.
  for (const [group, point] of [[',', '.'], ['.', ',']]) {
    const shape = new RegExp(`^-?(\\d+|\\d{1,3}(\\${group}\\d{3})+)?(\\${point}\\d*)?$`);
    if (/\d/.test(bare) && shape.test(bare)) {
      found.push(Number(bare.replaceAll(group, '').replace(point, '.')));
    }
  }
  return [...new Set(found)];
}
