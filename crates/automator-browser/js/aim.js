// @ts-check
/**
 * Makes an element ready for the pointer: waits until it is usable and keeps still, brings it into view, and finds
 * a point of it that nothing covers. From then on a guard watches where the next press goes.
 * @this {import('./library').Library}
 * @param {Element} element
 * @param {{ position: { x: number, y: number } | null, guard: import('./library').Coming | null }} options
 * @returns {Promise<import('./library').Outcome>}
 */
async function aim(element, options) {
  const option = /** @type {HTMLOptionElement} */ (element);
  const select = element.localName === 'option' ? element.closest('select') : null;
  if (select && !select.multiple && select.size <= 1) {
    return { is: 'option', value: { index: option.index } };
  }
  const target = this.pressable(element);
  const control = element instanceof HTMLLabelElement ? element.control : null;
  const isDisabled = element.matches(':disabled') || control?.matches(':disabled');
  const problem = this.obstacle(target) ?? (isDisabled ? { why: 'disabled' } : null);
  if (problem) {
    if (options.guard && problem.why === 'disabled') {
      this.leaveField(target);
    }
    return { is: 'wait', problem };
  }
  if (!(await this.isStill(target))) {
    return { is: 'wait', problem: { why: 'moving' } };
  }
  let covering = null;
  for (const block of /** @type {(ScrollLogicalPosition | null)[]} */ ([null, 'center', 'end', 'start', 'nearest'])) {
    if (block) {
      target.scrollIntoView({ block, inline: block === 'center' ? 'center' : 'nearest', behavior: 'instant' });
    }
    const points = this.points(target, options.position);
    for (const at of points) {
      const hit = this.atPoint(at.x, at.y);
      if (this.reaches(target, hit) || this.reaches(element, hit)) {
        if (options.guard) {
          this.watch(options.guard, target, element, at, hit);
        }
        return { is: 'done', value: { ...at, tag: element.localName } };
      }
      covering ??= hit;
    }
  }
  if (covering && getComputedStyle(target).pointerEvents === 'none') {
    return { is: 'wait', problem: { why: 'noPointer' } };
  }
  return { is: 'wait', problem: covering ? { why: 'covered', by: this.describe(covering) } : { why: 'outOfView' } };
}
