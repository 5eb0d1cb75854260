// The shop works without this script, except for the suggestions and the reviews.
// @ts-check

/** Shows a short message, read out by screen readers. */
function notify(/** @type {string} */ text) {
  const notice = document.getElementById('notice');
  if (notice) notice.textContent = text;
}

// Cookie banner.
const banner = document.getElementById('cookie-banner');
banner?.addEventListener('click', (event) => {
  const button = /** @type {HTMLElement} */ (event.target).closest('button');
  if (!button?.dataset.cookies) return;
  document.cookie = `consent=${button.dataset.cookies}; path=/; max-age=31536000; samesite=lax`;
  banner.remove();
});

// Adding to the basket without leaving the page.
document.addEventListener('submit', async (event) => {
  const form = /** @type {HTMLFormElement} */ (event.target);
  if (!form.matches('[data-add]')) return;
  event.preventDefault();
  const fields = new URLSearchParams();
  for (const [name, value] of new FormData(form)) fields.append(name, String(value));
  const reply = await fetch(form.action, { method: 'POST', body: fields, headers: { accept: 'application/json' } });
  const { count, message } = await reply.json();
  const badge = document.getElementById('basket-count');
  if (badge) badge.textContent = String(count);
  notify(message);
});

// The filter works at once; its button is for browsers without scripts.
const filter = /** @type {HTMLFormElement | null} */ (document.querySelector('form.filter'));
filter?.addEventListener('change', () => filter.requestSubmit());

// Search suggestions.
const search = /** @type {HTMLInputElement | null} */ (document.getElementById('search'));
const list = document.getElementById('suggestions');
if (search && list) {
  const close = () => {
    list.hidden = true;
    search.setAttribute('aria-expanded', 'false');
    search.removeAttribute('aria-activedescendant');
  };
  const open = (/** @type {{name: string, link: string}[]} */ found) => {
    list.replaceChildren(
      ...found.map(({ name, link }, index) => {
        const option = document.createElement('li');
        option.id = `suggestion-${index}`;
        option.setAttribute('role', 'option');
        option.setAttribute('aria-selected', 'false');
        option.textContent = name;
        option.addEventListener('mousedown', (event) => event.preventDefault());
        option.addEventListener('click', () => location.assign(link));
        return option;
      }),
    );
    list.hidden = found.length === 0;
    search.setAttribute('aria-expanded', String(found.length > 0));
  };
  const move = (/** @type {number} */ step) => {
    const options = [...list.children];
    const current = options.findIndex((option) => option.getAttribute('aria-selected') === 'true');
    const next = options[(current + step + options.length + (current < 0 && step < 0 ? 1 : 0)) % options.length];
    for (const option of options) option.setAttribute('aria-selected', String(option === next));
    if (next) search.setAttribute('aria-activedescendant', next.id);
  };
  let latest = 0;
  search.addEventListener('input', async () => {
    const mine = ++latest;
    const text = search.value.trim();
    if (!text) return close();
    const reply = await fetch(`/suggest?q=${encodeURIComponent(text)}`);
    const found = await reply.json();
    if (mine === latest) open(found);
  });
  search.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') close();
    else if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault();
      move(event.key === 'ArrowDown' ? 1 : -1);
    } else if (event.key === 'Enter') {
      const chosen = /** @type {HTMLElement | null} */ (list.querySelector('[aria-selected=true]'));
      if (chosen && !list.hidden) {
        event.preventDefault();
        chosen.click();
      }
    }
  });
  search.addEventListener('blur', close);
}

// Checkout: say next to each field what is wrong with it.
const checkout = /** @type {HTMLFormElement | null} */ (document.querySelector('form[data-checkout]'));
checkout?.addEventListener('submit', (event) => {
  for (const old of checkout.querySelectorAll('.error')) old.remove();
  /** @type {HTMLInputElement | null} */
  let first = null;
  for (const element of checkout.elements) {
    if (!(element instanceof HTMLInputElement || element instanceof HTMLSelectElement)) continue;
    element.removeAttribute('aria-invalid');
    if (element.validity.valid) continue;
    const error = document.createElement('span');
    error.className = 'error';
    error.textContent = element.validity.valueMissing ? 'Please fill this in.' : 'Please check this.';
    element.setAttribute('aria-invalid', 'true');
    element.closest('label')?.append(error);
    first ??= /** @type {HTMLInputElement} */ (element);
  }
  if (first) {
    event.preventDefault();
    first.focus();
  }
});

// Reviews live in a shadow root.
customElements.define(
  'shop-reviews',
  class extends HTMLElement {
    connectedCallback() {
      const reviews = JSON.parse(this.querySelector('script')?.textContent ?? '[]');
      const root = this.attachShadow({ mode: 'open' });
      const style = document.createElement('style');
      style.textContent = `
        section { margin-top: 2rem } h2 { font-size: 1.15rem } ul { list-style: none; padding: 0; display: grid; gap: .75rem }
        li { background: #fff; border: 1px solid #e5dfd3; border-radius: 10px; padding: .75rem 1rem } b { color: #8a5a00 }
        p { margin: .25rem 0 } button { font: inherit; background: none; border: 1px solid #b9b09f; border-radius: 6px; padding: .2rem .6rem; cursor: pointer }`;
      const section = document.createElement('section');
      const heading = document.createElement('h2');
      heading.textContent = 'Reviews';
      const items = document.createElement('ul');
      for (const { author, stars, text, helpful } of reviews) {
        const item = document.createElement('li');
        const head = document.createElement('p');
        const mark = document.createElement('b');
        mark.textContent = `${stars} of 5 stars`;
        head.append(mark, ` by ${author}`);
        const words = document.createElement('p');
        words.textContent = text;
        const count = document.createElement('span');
        let number = helpful;
        count.textContent = `${number} found this helpful`;
        const button = document.createElement('button');
        button.textContent = 'Helpful';
        button.addEventListener('click', () => {
          number += 1;
          count.textContent = `${number} found this helpful`;
          button.disabled = true;
        });
        item.append(head, words, count, ' ', button);
        items.append(item);
      }
      section.append(heading, items);
      root.append(style, section);
    }
  },
);
