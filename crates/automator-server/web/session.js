// @ts-check
// The page of one session.

import { connect } from './connection.js';
import { control } from './control.js';
import { part } from './part.js';
import { picture } from './picture.js';
import { tabList } from './tabs.js';
import { duration, ending, shortId, stateName } from './words.js';

/**
 * @typedef {import('./connection.js').ServerMessage} ServerMessage
 * @typedef {import('./connection.js').Operation} Operation
 */

/** How many operations stay on the page. */
const KEPT = 200;

const page = new URL(location.href);
const state = part('state', HTMLElement);
const time = part('time', HTMLElement);
const problem = part('problem', HTMLElement);
const notice = part('notice', HTMLElement);
const hint = part('hint', HTMLElement);
const bar = part('bar', HTMLFormElement);
const address = part('address', HTMLInputElement);
const canvas = part('screen', HTMLCanvasElement);
const operations = part('operations', HTMLElement);
const scroll = part('scroll', HTMLElement);

/** @type {string | null} */
let looking = null;
/** When the session's time is over, by this page's clock. */
let over = Infinity;
let mayControl = false;
let hasEnded = false;

part('name', HTMLElement).textContent = shortId(page.pathname.split('/').pop() ?? '');
document.title = `Session ${part('name', HTMLElement).textContent}`;
document.body.classList.toggle('fullscreen', page.searchParams.has('fullscreen'));

const drawn = picture(canvas, () => {
  notice.hidden = !canvas.hidden;
  send({ type: 'shown' });
});
const showTabs = tabList(part('tabs', HTMLElement), part('panel', HTMLElement), (tab) => send({ type: 'look', tab }));
const send = connect(page, { message: hear, picture: drawn.take, lost });

/** @param {ServerMessage} message */
function hear(message) {
  switch (message.type) {
    case 'session':
      begin(message);
      break;
    case 'tabs':
      looking = message.looking;
      showTabs(message.tabs, looking);
      showAddress(message.tabs.find((tab) => tab.id === looking)?.url ?? '');
      break;
    case 'operation':
      note(message);
      break;
    case 'problem':
      tellProblem(message.message);
      break;
    case 'ended':
      end(ending(message.state, message.reason));
      break;
  }
}

/** @param {import('./connection.js').SessionMessage} message */
function begin(message) {
  // All that is known comes again after this.
  operations.replaceChildren();
  const role = message.control ? 'you can use its mouse and keyboard' : 'you are looking on';
  state.textContent = message.state === 'RUNNING' ? `${stateName(message.state)}; ${role}` : stateName(message.state);
  over = performance.now() + message.timeLeft;
  tellTime();
  tellProblem('');
  if (message.control && !mayControl) {
    mayControl = true;
    takeControl();
  }
}

function takeControl() {
  bar.hidden = false;
  hint.hidden = false;
  canvas.tabIndex = 0;
  canvas.setAttribute('role', 'application');
  canvas.setAttribute('aria-label', 'The page in the browser. Press Escape twice to leave it.');
  control(canvas, drawn.place, send, () => address.focus());
}

/** @param {string} url */
function showAddress(url) {
  if (document.activeElement !== address) {
    address.value = url === 'about:blank' ? '' : url;
  }
}

/** @param {Operation} operation */
function note(operation) {
  const item = document.createElement('li');
  const line = document.createElement('p');
  const method = document.createElement('strong');
  method.textContent = operation.method;
  const when = new Date(operation.time).toLocaleTimeString();
  const tokens = operation.tokens === undefined ? '' : ` · ${operation.tokens} tokens`;
  line.append(method, ` ${operation.instruction}`, document.createElement('br'), `${when}${tokens}`);
  if (!operation.ok) {
    const failed = document.createElement('span');
    failed.className = 'failed';
    failed.textContent = ' · failed';
    line.append(failed);
  }
  item.append(line);
  if (operation.selector) {
    const selector = document.createElement('code');
    selector.textContent = operation.selector;
    item.append(selector);
  }
  operations.append(item);
  if (operations.childElementCount > KEPT) {
    operations.firstElementChild?.remove();
  }
  scroll.scrollTop = scroll.scrollHeight;
  part('no-operations', HTMLElement).hidden = true;
}

/** @param {string} text */
function tellProblem(text) {
  problem.textContent = text;
  problem.hidden = text === '';
}

function tellTime() {
  const left = over - performance.now();
  time.textContent = Number.isFinite(left) && !hasEnded ? `at most ${duration(left)} left` : '';
}

/**
 * @param {string} reason
 * @param {boolean} isFinal
 */
function lost(reason, isFinal) {
  if (hasEnded) {
    return;
  }
  if (isFinal) {
    end(`There is nothing more to see: ${reason}.`);
  } else {
    state.textContent = `Not connected: ${reason}. Trying again …`;
  }
}

/** @param {string} text */
function end(text) {
  hasEnded = true;
  const hadFocus = bar.contains(document.activeElement) || document.activeElement === canvas;
  state.textContent = text;
  notice.textContent = text;
  notice.hidden = false;
  bar.hidden = true;
  hint.hidden = true;
  drawn.clear();
  showTabs([], null);
  tellTime();
  tellProblem('');
  if (hadFocus) {
    // Where it was is nothing any more.
    notice.tabIndex = -1;
    notice.focus();
  }
}

bar.addEventListener('submit', (event) => {
  event.preventDefault();
  tellProblem('');
  send({ type: 'navigate', address: address.value });
});
bar.addEventListener('click', (event) => {
  const step = event.target instanceof HTMLElement ? event.target.dataset.step : undefined;
  if (step) {
    tellProblem('');
    send({ type: 'history', step });
  }
});
part('open', HTMLElement).addEventListener('click', () => send({ type: 'open' }));
part('close', HTMLElement).addEventListener('click', () => send({ type: 'close', tab: looking ?? '' }));
part('leave', HTMLElement).addEventListener('click', () => address.focus());
setInterval(tellTime, 1000);
