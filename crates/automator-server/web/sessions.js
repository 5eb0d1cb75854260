// @ts-check
// The list of a key's sessions.

import { part } from './part.js';
import { duration, shortId, stateName } from './words.js';

/**
 * @typedef {object} Session
 * @property {string} id
 * @property {string} status
 * @property {string} createdAt
 * @property {string} [endedAt]
 * @property {string} region
 * @property {string} [sessionUrl]
 * @property {string} [endReason]
 */

/** Under this name the key is kept, for this tab alone. */
const KEY = 'automator-api-key';

/** How often the list is asked for again, in milliseconds. */
const ROUND = 5000;

const state = part('state', HTMLElement);
const problem = part('problem', HTMLElement);
const signIn = part('sign-in', HTMLFormElement);
const key = part('key', HTMLInputElement);
const signedIn = part('signed-in', HTMLElement);
const ended = part('ended', HTMLInputElement);
const list = part('list', HTMLElement);
const card = part('card', HTMLTemplateElement);

/**
 * Asks the server for something. What goes wrong is thrown in words.
 * @param {string} path
 * @param {object} [body]
 * @returns {Promise<any>}
 */
async function ask(path, body) {
  const answer = await fetch(path, {
    method: body ? 'POST' : 'GET',
    headers: { 'x-bb-api-key': sessionStorage.getItem(KEY) ?? '', 'content-type': 'application/json' },
    body: body ? JSON.stringify(body) : null,
  });
  const value = await answer.json();
  if (answer.status === 401) {
    forget();
  }
  if (!answer.ok) {
    throw new Error(value.message);
  }
  return value;
}

/**
 * Does something, and tells what went wrong.
 * @param {() => Promise<void>} work
 */
async function attempt(work) {
  try {
    await work();
    tellProblem('');
  } catch (error) {
    tellProblem(error instanceof Error ? error.message : String(error));
  }
}

async function show() {
  /** @type {Session[]} */
  const sessions = await ask('/v1/sessions');
  if (!sessionStorage.getItem(KEY)) {
    return;
  }
  const shown = sessions.filter((session) => ended.checked || isLiving(session));
  signIn.hidden = true;
  signedIn.hidden = false;
  const running = sessions.filter((session) => session.status === 'RUNNING').length;
  tellState(running === 1 ? '1 session is running.' : `${running} sessions are running.`);
  // Elements that stay keep the focus.
  const known = new Map(Array.from(list.children, (item) => [item.id, item]));
  for (const [index, session] of shown.entries()) {
    const id = `session-${session.id}`;
    const item = known.get(id) ?? newItem(session.id);
    known.delete(id);
    fill(item, session);
    const there = list.children[index] ?? null;
    if (there !== item) {
      list.insertBefore(item, there);
    }
  }
  for (const item of known.values()) {
    item.remove();
  }
}

/** @param {Session} session */
function isLiving(session) {
  return session.status === 'RUNNING' || session.status === 'PENDING';
}

/**
 * @param {string} id
 * @returns {Element}
 */
function newItem(id) {
  const item = /** @type {DocumentFragment} */ (card.content.cloneNode(true)).firstElementChild;
  if (!item) {
    throw new Error('the card is empty');
  }
  item.id = `session-${id}`;
  button(item, 'control').addEventListener('click', () => {
    void attempt(async () => {
      location.href = (await ask(`/v1/sessions/${id}/debug`)).debuggerUrl;
    });
  });
  const release = button(item, 'release');
  release.addEventListener('click', () => {
    if (release.dataset.sure === undefined) {
      release.dataset.sure = '';
      release.textContent = 'Release: sure?';
      return;
    }
    void attempt(async () => {
      await ask(`/v1/sessions/${id}`, { status: 'REQUEST_RELEASE' });
      await show();
    });
  });
  release.addEventListener('blur', () => {
    delete release.dataset.sure;
    release.textContent = 'Release';
  });
  return item;
}

/**
 * @param {Element} item
 * @param {Session} session
 */
function fill(item, session) {
  const title = item.querySelector('h2');
  const facts = item.querySelector('.facts');
  const watch = item.querySelector('a');
  if (!title || !facts || !watch) {
    return;
  }
  const until = session.endedAt ? Date.parse(session.endedAt) : Date.now();
  const age = duration(until - Date.parse(session.createdAt));
  const reason = session.endReason ? `: ${session.endReason}` : '';
  title.textContent = shortId(session.id);
  title.title = session.id;
  facts.textContent = `${stateName(session.status)}${reason} · ${age} · ${session.region}`;
  watch.hidden = !session.sessionUrl;
  watch.href = session.sessionUrl ?? '#';
  button(item, 'control').hidden = session.status !== 'RUNNING';
  button(item, 'release').hidden = !isLiving(session);
}

/**
 * @param {Element} item
 * @param {string} what
 * @returns {HTMLButtonElement}
 */
function button(item, what) {
  const found = item.querySelector(`button[data-do=${what}]`);
  if (!(found instanceof HTMLButtonElement)) {
    throw new Error(`there is no button to ${what}`);
  }
  return found;
}

function forget() {
  sessionStorage.removeItem(KEY);
  list.replaceChildren();
  signIn.hidden = false;
  signedIn.hidden = true;
  tellState('Give your API key to see your sessions.');
  key.focus();
}

/** @param {string} text */
function tellState(text) {
  // The same again would be read out again.
  if (state.textContent !== text) {
    state.textContent = text;
  }
}

/** @param {string} text */
function tellProblem(text) {
  problem.textContent = text;
  problem.hidden = text === '';
}

function refresh() {
  if (sessionStorage.getItem(KEY)) {
    void attempt(show);
  }
}

signIn.addEventListener('submit', (event) => {
  event.preventDefault();
  sessionStorage.setItem(KEY, key.value.trim());
  key.value = '';
  refresh();
});
part('sign-out', HTMLElement).addEventListener('click', forget);
part('refresh', HTMLElement).addEventListener('click', refresh);
ended.addEventListener('change', refresh);
setInterval(() => {
  if (!document.hidden) {
    refresh();
  }
}, ROUND);
refresh();
