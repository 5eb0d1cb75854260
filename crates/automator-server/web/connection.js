// @ts-check
// The WebSocket to the server, opened again when it is lost.

/**
 * @typedef {{ id: string, title: string, url: string }} Tab
 * @typedef {{ time: number, method: string, instruction: string, selector?: string, tokens?: number, ok: boolean }} Operation
 * @typedef {{ type: 'session', state: string, region: string, keepAlive: boolean, control: boolean, createdAt: number,
 *   timeLeft: number }} SessionMessage
 * @typedef {{ type: 'tabs', tabs: Tab[], looking: string | null }} TabsMessage
 * @typedef {{ type: 'operation' } & Operation} OperationMessage
 * @typedef {{ type: 'problem', message: string }} ProblemMessage
 * @typedef {{ type: 'ended', state: string, reason: string }} EndedMessage
 * @typedef {SessionMessage | TabsMessage | OperationMessage | ProblemMessage | EndedMessage} ServerMessage
 */

/**
 * @typedef {object} Listener
 * @property {(message: ServerMessage) => void} message
 * @property {(picture: ArrayBuffer) => void} picture
 * @property {(reason: string, isFinal: boolean) => void} lost
 */

/** The session has ended, the address has expired, too many look on: another try would end as this one did. */
const FINAL = [4000, 4001, 4029];

const FIRST_WAIT = 500;
const LONGEST_WAIT = 15000;

/**
 * Connects to the server, and connects again until there is no sense in it.
 * @param {URL} page the address of this page
 * @param {Listener} listener
 * @returns {(message: object) => void} sends a message, if there is a connection
 */
export function connect(page, listener) {
  const address = new URL(`/v1${page.pathname}/view`, page);
  address.protocol = page.protocol === 'https:' ? 'wss:' : 'ws:';
  for (const name of ['token', 'tab']) {
    const value = page.searchParams.get(name);
    if (value !== null) {
      address.searchParams.set(name, value);
    }
  }
  /** @type {WebSocket} */
  let socket;
  let wait = FIRST_WAIT;

  function open() {
    let wasOpen = false;
    socket = new WebSocket(address);
    socket.binaryType = 'arraybuffer';
    socket.addEventListener('open', () => {
      wasOpen = true;
      wait = FIRST_WAIT;
    });
    socket.addEventListener('message', (event) => {
      if (typeof event.data === 'string') {
        listener.message(JSON.parse(event.data));
      } else {
        listener.picture(event.data);
      }
    });
    socket.addEventListener('close', (event) => {
      void closed(event, wasOpen);
    });
  }

  /**
   * @param {CloseEvent} event
   * @param {boolean} wasOpen
   */
  async function closed(event, wasOpen) {
    const isFinal = FINAL.includes(event.code) || (!wasOpen && (await isRefused(page)));
    if (isFinal) {
      listener.lost(event.reason || 'this address does not open the session any more', true);
      return;
    }
    listener.lost(event.reason || 'the connection is lost', false);
    setTimeout(open, wait);
    wait = Math.min(wait * 2, LONGEST_WAIT);
  }

  open();
  return (message) => {
    if (socket.readyState === WebSocket.OPEN) {
      socket.send(JSON.stringify(message));
    }
  };
}

/**
 * Whether the server does not let this page in any more. A WebSocket that is refused does not tell why.
 * @param {URL} page
 * @returns {Promise<boolean>}
 */
async function isRefused(page) {
  try {
    return (await fetch(page, { method: 'HEAD' })).status === 404;
  } catch {
    return false;
  }
}
