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
  filling.end?.();
  const { field, before, isHeard } = filling;
  if (!field.isConnected) {
    this.filling = undefined;
    return { is: 'unseen', value: { isHeard } };
  }
  const now = this.fieldText(field);
  const isThere = keepText ? this.isTyped(field, text, before) : this.holdsText(field, text, before) || this.isSpread(field, text);
  return { is: isThere ? 'done' : 'missed', value: { text: now, isHeard } };
}
