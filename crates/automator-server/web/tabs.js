// @ts-check
// The tabs of the browser as a list of tabs: one stop for the Tab key, arrows within it.

import { tabName } from './words.js';

/** @typedef {import('./connection.js').Tab} Tab */

/** @type {Record<string, (at: number, count: number) => number>} */
const MOVES = {
  ArrowLeft: (at, count) => (at + count - 1) % count,
  ArrowRight: (at, count) => (at + 1) % count,
  Home: () => 0,
  End: (_, count) => count - 1,
};

/**
 * @param {HTMLElement} list
 * @param {HTMLElement} panel
 * @param {(id: string) => void} choose is told which tab is to be looked at
 * @returns {(tabs: Tab[], looking: string | null) => void} shows these tabs
 */
export function tabList(list, panel, choose) {
  /** @returns {HTMLElement[]} */
  const shown = () => Array.from(list.querySelectorAll('[role=tab]'), (tab) => /** @type {HTMLElement} */ (tab));

  list.addEventListener('click', (event) => {
    const tab = event.target instanceof Element ? event.target.closest('[role=tab]') : null;
    if (tab instanceof HTMLElement) {
      choose(tab.dataset.tab ?? '');
    }
  });
  list.addEventListener('keydown', (event) => {
    const tabs = shown();
    const at = tabs.findIndex((tab) => tab === document.activeElement);
    const move = MOVES[event.key];
    if (!move || at < 0) {
      return;
    }
    event.preventDefault();
    const next = tabs[move(at, tabs.length)];
    next?.focus();
    choose(next?.dataset.tab ?? '');
  });

  return (tabs, looking) => {
    // Elements that stay keep the focus.
    const known = new Map(shown().map((element) => [element.dataset.tab, element]));
    for (const tab of tabs) {
      const element = known.get(tab.id) ?? newTab(tab.id);
      known.delete(tab.id);
      const isLooked = tab.id === looking;
      element.textContent = tabName(tab);
      element.title = tab.url;
      element.setAttribute('aria-selected', String(isLooked));
      element.tabIndex = isLooked ? 0 : -1;
      if (!element.isConnected) {
        list.append(element);
      }
    }
    const hadFocus = Array.from(known.values()).includes(/** @type {HTMLElement} */ (document.activeElement));
    for (const element of known.values()) {
      element.remove();
    }
    const looked = shown().find((element) => element.dataset.tab === looking);
    panel.setAttribute('aria-labelledby', looked?.id ?? '');
    if (hadFocus) {
      looked?.focus();
    }
  };
}

/**
 * @param {string} id
 * @returns {HTMLElement}
 */
function newTab(id) {
  const element = document.createElement('button');
  element.type = 'button';
  element.id = `tab-${id}`;
  element.dataset.tab = id;
  element.setAttribute('role', 'tab');
  element.setAttribute('aria-controls', 'panel');
  return element;
}
