// @ts-check
// The mouse and the keyboard over the picture, as messages.

/** Within so many milliseconds a second Escape leaves the picture. */
const TWICE = 1000;

/** A line and a page of the wheel, in pixels. */
const UNITS = [1, 40, 800];

const BUTTONS = ['left', 'middle', 'right'];

/** Keys that only begin a character; it comes as text. */
const INCOMPLETE = ['Dead', 'Process', 'Unidentified'];

/**
 * @param {HTMLCanvasElement} canvas
 * @param {(event: MouseEvent) => { x: number, y: number }} place where in the page an event is
 * @param {(message: object) => void} send
 * @param {() => void} leave takes the focus away from the picture
 */
export function control(canvas, place, send, leave) {
  mouse(canvas, place, send);
  keyboard(canvas, send, leave);
}

/**
 * @param {HTMLCanvasElement} canvas
 * @param {(event: MouseEvent) => { x: number, y: number }} place
 * @param {(message: object) => void} send
 */
function mouse(canvas, place, send) {
  let isPressed = false;
  /** @type {MouseEvent | null} */
  let moved = null;

  /**
   * @param {string} action
   * @param {MouseEvent} event
   * @param {object} more
   */
  function tell(action, event, more) {
    const buttons = event.buttons & 7;
    send({ type: 'mouse', action, ...place(event), buttons, modifiers: modifiers(event), ...more });
  }

  function tellMove() {
    if (moved) {
      tell('move', moved, { button: heldButton(moved.buttons) });
      moved = null;
    }
  }

  canvas.addEventListener('mousedown', (event) => {
    // What the browser would do is to take the focus to where nothing is.
    event.preventDefault();
    canvas.focus();
    isPressed = true;
    tellMove();
    tell('press', event, { button: BUTTONS[event.button] ?? 'none', clicks: event.detail });
  });
  // A button that was pressed here may be released anywhere.
  window.addEventListener('mouseup', (event) => {
    if (isPressed) {
      isPressed = event.buttons !== 0;
      tellMove();
      tell('release', event, { button: BUTTONS[event.button] ?? 'none', clicks: event.detail || 1 });
    }
  });
  window.addEventListener('mousemove', (event) => {
    if (event.target !== canvas && !isPressed) {
      return;
    }
    // Only the last place before each picture of this page.
    if (!moved) {
      requestAnimationFrame(tellMove);
    }
    moved = event;
  });
  canvas.addEventListener('contextmenu', (event) => event.preventDefault());
  canvas.addEventListener(
    'wheel',
    (event) => {
      event.preventDefault();
      const unit = UNITS[event.deltaMode] ?? 1;
      tell('wheel', event, { deltaX: event.deltaX * unit, deltaY: event.deltaY * unit });
    },
    { passive: false },
  );
}

/**
 * @param {HTMLCanvasElement} canvas
 * @param {(message: object) => void} send
 * @param {() => void} leave
 */
function keyboard(canvas, send, leave) {
  /** @type {Map<string, KeyboardEvent>} The keys that are held down. */
  const held = new Map();
  let escaped = -Infinity;

  /**
   * @param {'down' | 'up'} action
   * @param {KeyboardEvent} event
   */
  function tell(action, event) {
    const { key, code, keyCode, location, repeat } = event;
    send({
      type: 'key',
      action,
      key,
      code,
      keyCode: keyCode & 255,
      location: location & 3,
      repeat,
      modifiers: modifiers(event),
    });
  }

  canvas.addEventListener('keydown', (event) => {
    if (event.isComposing || INCOMPLETE.includes(event.key) || isPaste(event)) {
      return;
    }
    event.preventDefault();
    if (event.key === 'Escape' && !event.repeat) {
      if (event.timeStamp - escaped < TWICE) {
        escaped = -Infinity;
        leave();
        return;
      }
      escaped = event.timeStamp;
    }
    held.set(event.code, event);
    tell('down', event);
  });
  canvas.addEventListener('keyup', (event) => {
    if (held.delete(event.code)) {
      event.preventDefault();
      tell('up', event);
    }
  });
  // Nobody would tell the page that they are let go of.
  canvas.addEventListener('blur', () => {
    for (const event of held.values()) {
      tell('up', event);
    }
    held.clear();
  });
  document.addEventListener('paste', (event) => {
    const text = event.clipboardData?.getData('text/plain');
    if (document.activeElement === canvas && text) {
      event.preventDefault();
      send({ type: 'text', text });
    }
  });
}

/**
 * What is pasted is on this machine, so this browser has to do it.
 * @param {KeyboardEvent} event
 */
function isPaste(event) {
  return (event.ctrlKey || event.metaKey) && !event.altKey && event.key.toLowerCase() === 'v';
}

/** @param {number} buttons */
function heldButton(buttons) {
  if (buttons & 1) {
    return 'left';
  }
  if (buttons & 2) {
    return 'right';
  }
  return buttons & 4 ? 'middle' : 'none';
}

/** @param {MouseEvent | KeyboardEvent} event */
function modifiers(event) {
  const flags = [event.altKey, event.ctrlKey, event.metaKey, event.shiftKey];
  return flags.reduce((sum, flag, index) => sum + (flag ? 1 << index : 0), 0);
}
