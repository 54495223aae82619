/**
 * Script of the page, for browsers. It takes HTML from its own server alone, keeps cards that have not changed, so that
 * focus and scroll positions stay, and sends an answer only for an act of the person.
 */
export const PAGE_SCRIPT: string = `'use strict';
const meta = document.querySelector('meta[name="key"]');
if (meta) { sessionStorage.setItem('key', meta.content); history.replaceState(null, '', '/'); }
const key = sessionStorage.getItem('key') ?? '';
const policy = globalThis.trustedTypes?.createPolicy('sallyport', { createHTML: (html) => html });
const parsed = (html) => new DOMParser().parseFromString(policy ? policy.createHTML(html) : html, 'text/html').body;
const at = (id) => document.getElementById(id);
const say = (text) => { at('status').textContent = text; };
const headers = { 'x-sallyport-key': key };

// A click counts only where it began half a second after its buttons came to their place: whoever aims at a card never
// hits the card that takes its place.
const STILL_MS = 500;
const still = new WeakMap();
let pressed;
function notePlaces(isNew = false) {
  const now = performance.now();
  for (const row of document.querySelectorAll('.buttons')) {
    const { left, top } = row.getBoundingClientRect();
    const place = left + ' ' + top;
    if (!isNew && still.get(row)?.place === place) continue;
    still.set(row, { place, since: now });
    enable(row);
    setTimeout(enable, STILL_MS + 1, row);
  }
}
const isStill = (row, at) => at - (still.get(row)?.since ?? at) >= STILL_MS;
function enable(row) {
  const isWaiting = row.closest('article').dataset.sent === 'true' || !isStill(row, performance.now());
  for (const button of row.children) button.setAttribute('aria-disabled', isWaiting);
}
addEventListener('pointerdown', (event) => { notePlaces(); pressed = event.timeStamp; }, true);
addEventListener('keydown', (event) => { if (event.repeat) return; notePlaces(); pressed = event.timeStamp; }, true);
for (const name of ['pointerup', 'pointercancel', 'keyup']) addEventListener(name, () => setTimeout(() => { pressed = undefined; }), true);
for (const name of ['scroll', 'resize', 'toggle']) addEventListener(name, () => notePlaces(), true);
document.addEventListener('visibilitychange', () => notePlaces(true));

function setCards(list, cards) {
  const hadFocus = list.contains(document.activeElement);
  const ids = new Set(cards.map(({ id }) => id));
  for (const card of [...list.children]) if (card.id && !ids.has(card.id)) card.remove();
  for (const { id, html } of cards) if (!at(id)) list.append(...parsed(html).children);
  at(list.id + '-none').hidden = cards.length > 0;
  if (hadFocus && !list.contains(document.activeElement)) (list.querySelector('h3') ?? at(list.id + '-title')).focus();
}
function setHtml(place, html) {
  if (place.dataset.html === html) return;
  place.dataset.html = html;
  place.replaceChildren(...parsed(html).childNodes);
}
function show({ title, questions, changes, runs, servers }) {
  const before = at('questions').children.length;
  document.title = title;
  setCards(at('questions'), questions);
  setCards(at('changes'), changes);
  setHtml(at('runs'), runs);
  setHtml(at('servers'), servers);
  notePlaces();
  if (questions.length > before) say(questions.length === 1 ? 'A call waits for your answer.' : questions.length + ' calls wait for your answer.');
}
async function follow() {
  for (let version = 0; ; ) {
    try {
      const answer = await fetch('/state?since=' + version, { headers });
      if (answer.status === 403) return say('This page is not signed in any more. Open the newest address that sallyport mcp has printed.');
      const state = await answer.json();
      version = state.version;
      show(state);
    } catch {
      say('The gateway does not answer. It has ended, or this machine is busy.');
      await new Promise((resolve) => setTimeout(resolve, 2000));
    }
  }
}
async function send(path, body, card) {
  // A disabled button would lose the focus before its card goes.
  const mark = (isSent) => { card.dataset.sent = isSent; for (const row of card.querySelectorAll('.buttons')) enable(row); };
  const back = () => mark(false);
  mark(true);
  try {
    const answer = await fetch(path, { method: 'POST', headers: { ...headers, 'content-type': 'application/json' }, body: JSON.stringify(body) });
    say((await answer.json()).message);
    if (answer.status !== 200 && answer.status !== 409) back();
  } catch { say('The answer did not reach the gateway.'); back(); }
}
document.addEventListener('click', (event) => {
  const button = event.isTrusted && event.target instanceof Element ? event.target.closest('button') : null;
  if (!button) return;
  const { answer, digest, effect, accept, pinned } = button.dataset;
  const card = button.closest('article');
  if (card.dataset.sent === 'true') return;
  notePlaces();
  if (!isStill(button.parentElement, pressed ?? event.timeStamp))
    return say('Nothing was answered: the card had just come to this place. Read it, then answer.');
  const seen = { definition: card.dataset.definition, revision: Number(card.dataset.revision) };
  if (answer) void send('/answer', { digest, answer, effect, ...seen }, card);
  if (accept) void send('/accept', { pinned, ...seen }, card);
});
void follow();
`;

/** The document. `key` is absent for a tab that has its key already. */
export function pageDocument(key: string | undefined): string {
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">${key === undefined ? '' : `<meta name="key" content="${key}">`}
<title>Sallyport</title><link rel="stylesheet" href="/page.css"><script type="module" src="/page.js"></script></head>
<body><header><h1>Sallyport</h1><p id="status" role="status">Waiting for the gateway.</p></header>
<main><section aria-labelledby="questions-title"><h2 id="questions-title" tabindex="-1">Calls that wait for you</h2><p id="questions-none">No call waits.</p><div id="questions"></div></section>
<section aria-labelledby="changes-title"><h2 id="changes-title" tabindex="-1">Changed definitions</h2><p id="changes-none">No definition has changed.</p><div id="changes"></div></section>
<section aria-labelledby="runs-title"><h2 id="runs-title">Runs</h2><div id="runs"></div></section>
<section aria-labelledby="servers-title"><h2 id="servers-title">Servers</h2><div id="servers"></div></section></main></body></html>`;
}

/**
 * Document for an address that was followed from another page. The token is used by a click here alone: a page that
 * sends a person to this address has not opened the page with it.
 */
export const LINK_DOCUMENT = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Sallyport</title><link rel="stylesheet" href="/page.css"><script type="module" src="/link.js"></script></head>
<body><main><h1>Sallyport</h1><p>Calls that wait for you are shown on a page of this machine. The address opens it once.</p>
<p class="buttons"><button type="button">Open the page</button></p></main></body></html>`;

/** Script of that document. The address leaves the history at once. */
export const LINK_SCRIPT = `'use strict';
const address = location.href;
history.replaceState(null, '', '/');
document.querySelector('button').addEventListener('click', (event) => { if (event.isTrusted) location.replace(address); });
`;
