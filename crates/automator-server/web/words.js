// @ts-check
// What people read; no documents, no sockets.

/** @type {Record<string, string>} */
const STATES = {
  PENDING: 'Waiting for a free browser',
  RUNNING: 'Running',
  ERROR: 'Failed',
  TIMED_OUT: 'Its time was over',
  COMPLETED: 'Ended',
};

/**
 * @param {string} state
 * @returns {string}
 */
export function stateName(state) {
  return STATES[state] ?? state;
}

/**
 * The first part of an id: enough to tell sessions apart.
 * @param {string} id
 * @returns {string}
 */
export function shortId(id) {
  return id.split('-')[0] ?? id;
}

/**
 * A length of time in words, the largest two units of it.
 * @param {number} milliseconds
 * @returns {string}
 */
export function duration(milliseconds) {
  const seconds = Math.max(0, Math.floor(milliseconds / 1000));
  const minutes = Math.floor(seconds / 60);
  const hours = Math.floor(minutes / 60);
  if (hours > 0) {
    return `${hours} h ${minutes % 60} min`;
  }
  return minutes > 0 ? `${minutes} min ${seconds % 60} s` : `${seconds} s`;
}

/**
 * What a tab is called.
 * @param {{ title: string, url: string }} tab
 * @returns {string}
 */
export function tabName(tab) {
  // An empty tab may have the title of an address that was not opened.
  return tab.url === 'about:blank' ? 'New tab' : tab.title || tab.url || 'New tab';
}

/**
 * How a session has ended.
 * @param {string} state
 * @param {string} reason
 * @returns {string}
 */
export function ending(state, reason) {
  const start = state === 'ERROR' ? 'The session has failed' : 'The session has ended';
  return reason ? `${start}: ${reason}.` : `${start}.`;
}
