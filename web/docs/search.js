// Finds sections that have all the words. Everything shown is text.
const input = document.querySelector('#search');
const list = document.querySelector('#found');
let sections;

async function load() {
  sections ??= await (await fetch('search.json')).json();
  return sections;
}

function scoreOf({ title, heading, text }, words) {
  const [head, body] = [`${title} ${heading}`.toLowerCase(), text.toLowerCase()];
  if (!words.every((word) => body.includes(word) || head.includes(word))) return 0;
  return 1 + words.filter((word) => head.includes(word)).length * 10;
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
  const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return show([]);
  const scored = (await load()).map((section) => ({ section, score: scoreOf(section, words) }));
  const found = scored.filter(({ score }) => score > 0).sort((a, b) => b.score - a.score);
  show(found.slice(0, 10).map(({ section }) => section));
});
