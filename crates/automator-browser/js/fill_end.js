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
  const { field, before } = filling;
  const isThere = () => {
    const holds = keepText ? this.isTyped(field, text, before) : this.holdsText(field, text, before);
    return holds || this.isSpread(field, text);
  };
  // A page that has heard may show it only when it draws itself anew.
  for (let waited = 0; filling.isHeard && field.isConnected && !isThere() && waited < 15; waited += 1) {
    await this.nextFrame();
  }
  filling.end?.();
  const { isHeard } = filling;
  if (!field.isConnected) {
    this.filling = undefined;
    return { is: 'unseen', value: { isHeard } };
  }
  return { is: isThere() ? 'done' : 'missed', value: { text: this.fieldText(field), isHeard } };
}
