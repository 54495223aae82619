import './copy.js';
import './run.js';
import { ranked } from './rank.js';

// The search of the documentation: results with excerpts, by mouse and by keyboard.
const input = document.querySelector('#search');
const count = document.querySelector('#count');
const list = document.querySelector('#found');
const menu = document.querySelector('#menu');
const SHOWN = 10;
let loaded;

// A place of this very page leaves the menu lying over it.
menu.addEventListener('click', ({ target }) => target.closest('a') && menu.hidePopover());

async function load() {
  loaded ??= await (await fetch('search.json')).json();
  return loaded;
}

input.addEventListener('input', async () => {
  const sections = await load();
  // what is asked by now
  const found = ranked(sections, input.value);
  list.replaceChildren(...found.slice(0, SHOWN).map(item));
  count.textContent = input.value.trim() === '' ? '' : said(found.length);
});

function said(number) {
  if (number === 0) return 'No section has all of these words.';
  return number > SHOWN ? `${SHOWN} of ${number} sections` : `${number} section${number === 1 ? '' : 's'}`;
}

function item({ section: { href, title, heading }, excerpt }) {
  const line = document.createElement('li');
  line.append(made('a', heading, { href }));
  if (title !== heading) line.append(made('span', title));
  const words = made('span', '', { className: 'excerpt' });
  words.append(...excerpt.map(({ text, isHit }) => (isHit ? made('mark', text) : text)));
  line.append(words);
  return line;
}

function made(name, textContent, more = {}) {
  return Object.assign(document.createElement(name), { textContent, ...more });
}

// Ctrl K goes to the search, the arrows go through its results, Enter opens the first.
document.addEventListener('keydown', (event) => {
  if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey)) return;
  event.preventDefault();
  if (!input.checkVisibility()) menu.showPopover();
  input.focus();
});

menu.addEventListener('keydown', (event) => {
  const stops = [input, ...list.querySelectorAll('a')];
  const at = stops.indexOf(document.activeElement);
  if (at < 0) return;
  const to = { ArrowDown: at + 1, ArrowUp: at - 1, Enter: at === 0 ? 1 : undefined }[event.key];
  if (stops[to] === undefined || event.isComposing) return;
  event.preventDefault();
  if (event.key === 'Enter') stops[to].click();
  else stops[to].focus();
});
