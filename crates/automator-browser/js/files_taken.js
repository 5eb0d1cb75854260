// @ts-check
/**
 * How many files the field had when it told the page about them.
 * @this {import('./library').Library}
 * @returns {number}
 */
function filesTaken() {
  const filing = this.filing;
  this.filing = undefined;
  return filing ? Math.max(filing.seen, filing.input.files?.length ?? 0) : -1;
}
