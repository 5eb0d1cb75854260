// @ts-check
/**
 * Whether the text has come into the field, and stays there.
 * @this {import('./library').Library}
 * @param {string} text
 * @param {boolean} keepText
 * @returns {Promise<import('./library').Outcome>}
 */
async function fillEnd(text, keepText) {
  const filling = this.filling;
  if (!filling) {
    return { is: 'unseen' };
  }
  await this.nextFrame();
  if (!('value' in filling.field)) {
    await this.nextFrame();
  }
  if (!filling.field.isConnected) {
    this.filling = undefined;
    return { is: 'unseen' };
  }
  const now = this.fieldText(filling.field);
  const isThere = keepText
    ? now !== filling.before || text === ''
    : this.holdsText(filling.field, text, filling.before) || this.isSpread(filling.field, text);
  return { is: isThere ? 'done' : 'missed', value: { text: now } };
}
