import './copy.js';

// Finds sections that have all the words. Everything shown is text.
const input = document.querySelector('#search');
const list = document.querySelector('#found');
const menu = document.querySelector('#menu');
let loaded;

// A place of this very page leaves the menu lying over it.
menu.addEventListener('click', ({ target }) => target.closest('a') && menu.hidePopover());

async function load() {
  loaded ??= await (await fetch('search.json')).json();
  return loaded;
}

/** A word of a heading says most, and a list of names less than what explains them. */
function scoreOf({ href, title, heading, text }, words) {
  const [head, body] = [heading.toLowerCase(), `${title} ${text}`.toLowerCase()];
  if (!words.every((word) => body.includes(word) || head.includes(word))) return 0;
  const scores = words.map((word) => (isWord(head, word) ? 20 : head.includes(word) ? 10 : isWord(body, word) ? 2 : 1));
  return scores.reduce((sum, score) => sum + score) / (href.startsWith('exports.') ? 8 : 1);
}

function isWord(text, word) {
  return text.split(/[^\p{L}\p{N}_]+/u).includes(word);
}

function show(found) {
  list.replaceChildren(
    ...found.map(({ href, title, heading }) => {
      const link = Object.assign(document.createElement('a'), { href, textContent: heading });
      const item = document.createElement('li');
      item.append(link);
      if (title !== heading) item.append(Object.assign(document.createElement('span'), { textContent: title }));
      return item;
    }),
  );
}

input.addEventListener('input', async () => {
  const sections = await load();
  // what is asked by now
  const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return list.replaceChildren();
  const scored = sections.map((section) => ({ section, score: scoreOf(section, words) }));
  const found = scored.filter(({ score }) => score > 0).sort((a, b) => b.score - a.score);
  if (found.length > 0) return show(found.slice(0, 10).map(({ section }) => section));
  list.replaceChildren(
    Object.assign(document.createElement('li'), { textContent: 'No section has all of these words.' }),
  );
});
