import './sallyport/element.js';
import { MODELS } from './models.js';
import { CORPUS_CAPABILITIES, defineCapability, definePower, openRuntime } from './sallyport/index.js';

const [write, ask, list, answer, element] = ['#write', '#ask', '#notes', 'output', 'sallyport-run'].map((selector) =>
  document.querySelector(selector),
);

const NOTE = {
  type: 'object',
  required: ['name', 'text'],
  additionalProperties: false,
  properties: {
    name: { type: 'string', pattern: '^[a-z0-9-]{1,40}$' },
    text: { type: 'string', minLength: 1, maxLength: 2000 },
  },
};

/** What only this page can do. It is granted, and yet a person is asked: by then the model has read notes. */
const keep = definePower({
  name: 'notes.keep',
  version: '1.0.0',
  description: 'Keeps a note.',
  effect: 'write',
  args: NOTE,
  run: async ({ name, text }) => {
    await keepNote(name, text);
    return true;
  },
});

/** What a model may propose: it runs in the sandbox, and has the power above and nothing else. */
const putNote = defineCapability({
  name: 'notes.put',
  version: '1.0.0',
  description: 'Keeps a new note with this name and this text.',
  effect: 'write',
  args: NOTE,
  powers: ['notes.keep'],
  source: 'export default async (note, powers) => ({ kept: await powers.notes.keep(note), note });',
});

// Notes are content of the runtime: kept in this browser, found by words, read by slices under a budget, and labelled
// private and untrusted wherever they go.
const runtime = await openRuntime({
  capabilities: [...CORPUS_CAPABILITIES, putNote],
  powers: [keep],
  grants: [
    { capability: 'corpus.search', mode: 'allow', uses: 5 },
    { capability: 'corpus.read', mode: 'allow', uses: 5 },
    // what both look at is content, which is granted by itself
    { capability: 'content.read', mode: 'allow', uses: 10 },
    { capability: 'notes.put', mode: 'allow', uses: 1 },
    { power: 'notes.keep', mode: 'allow', uses: 1 },
  ],
});
element.runtime = runtime;

async function keepNote(name, text) {
  await runtime.content.add([{ path: `${Date.now()}-${name}.md`, bytes: new TextEncoder().encode(text) }]);
  await show();
}

async function show() {
  const files = await runtime.content.files();
  list.replaceChildren(...(await Promise.all(files.map(itemOf))));
}

async function itemOf({ path }) {
  const item = Object.assign(document.createElement('li'), { textContent: await runtime.content.text(path) });
  const forget = Object.assign(document.createElement('button'), { type: 'button', textContent: 'Forget' });
  forget.addEventListener('click', async () => {
    try {
      answer.textContent = await forgetNote(path);
    } catch ({ message }) {
      answer.textContent = message;
    }
    await show();
  });
  item.append(forget);
  return item;
}

/**
 * Removes a note, and erases the answers that hold it: a run keeps each text that its model was shown or has written.
 * An answer that is still being written refuses, and then the note stays, too.
 */
async function forgetNote(path) {
  const text = await runtime.content.text(path);
  const held = [];
  for (const { run_id } of await runtime.runs()) {
    const said = await runtime.ledger.export(run_id, { secrets: true });
    if (said.includes(path) || said.includes(plainPart(text))) held.push(run_id);
  }
  let tabs = 0;
  for (const run_id of held) {
    const { otherTabs } = await runtime.ledger.erase(run_id, { stored: true });
    tabs = Math.max(tabs, otherTabs);
  }
  await runtime.content.remove([path]);
  const rest = tabs > 0 ? ` Close the other tabs of this page: ${tabs} did not answer and may still hold it.` : '';
  return `Forgotten, with ${held.length} of the answers.${rest}`;
}

/** The longest part of a text that JSON writes as it is, also inside of JSON. */
function plainPart(text) {
  return text.split(/["\\\p{Cc}]/u).reduce((longest, part) => (part.length > longest.length ? part : longest));
}

write.addEventListener('submit', async (event) => {
  event.preventDefault();
  const text = new FormData(write).get('text');
  write.reset();
  await keepNote('mine', text);
});

document.querySelector('#add').addEventListener('change', async ({ target }) => {
  const files = [...target.files];
  target.value = '';
  answer.textContent = await addFiles(files);
  await show();
});

/** Adds text files as notes, and names the files that are no text. */
async function addFiles(files) {
  const [notes, left] = [[], []];
  for (const file of files) {
    const bytes = new Uint8Array(await file.arrayBuffer());
    if (isText(bytes)) notes.push({ path: `${Date.now()}-${file.name.normalize('NFC')}`, bytes });
    else left.push(file.name);
  }
  try {
    await runtime.content.add(notes);
  } catch ({ message }) {
    return message;
  }
  return `Added: ${notes.length}.${left.length > 0 ? ` Left out, because they are no text: ${left.join(', ')}.` : ''}`;
}

function isText(bytes) {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes) !== undefined;
  } catch {
    return false;
  }
}

/** Where this browser remembers who answers the question that is open: after a reload the run needs its model again. */
const OPEN = 'notes.open';

async function answerTo({ who, question, ...options }, goesOn = false) {
  const { model, note = '', close } = await MODELS[who](options, question, goesOn);
  // a script that stands in asks nothing that could wait
  if (note === '') localStorage.setItem(OPEN, JSON.stringify({ who, question, ...options }));
  try {
    return note + (await run(model, question, goesOn));
  } finally {
    close?.();
  }
}

async function run(model, question, goesOn) {
  element.model = model;
  const done = new Promise((resolve) => element.addEventListener('sallyport-done', resolve, { once: true }));
  if (!goesOn) await element.start(question);
  else if (await element.takeUp()) await element.resume();
  else {
    // the element says why a run cannot be taken up
    if (element.trouble === undefined) localStorage.removeItem(OPEN);
    return '';
  }
  const { detail } = await done;
  localStorage.removeItem(OPEN);
  return detail.message ?? `No answer: ${detail.code}`;
}

async function showAnswer(asked, goesOn) {
  answer.textContent = '…';
  try {
    answer.textContent = await answerTo(asked, goesOn);
  } catch ({ message }) {
    answer.textContent = message;
  }
}

ask.addEventListener('submit', async (event) => {
  event.preventDefault();
  const asked = Object.fromEntries(new FormData(ask));
  const goesOn = open?.who === 'file' && open.question === asked.question;
  open = undefined;
  await showAnswer(asked, goesOn);
});

function showWho() {
  for (const part of ask.querySelectorAll('fieldset')) part.hidden = part.disabled = part.id !== ask.who.value;
}

ask.who.addEventListener('change', showWho);

/** The question that was open before a reload. A file has to be chosen again; any other model goes on by itself. */
async function goOn({ file, ...asked }) {
  for (const [name, value] of Object.entries(asked)) ask.querySelector(`[name=${name}]`).value = value;
  showWho();
  if (file === undefined) await showAnswer(asked, true);
  else answer.textContent = 'Your question is kept. Choose the GGUF file again, and press Ask to go on.';
}

await show();
document.querySelector('fieldset').disabled = false;
let open = JSON.parse(localStorage.getItem(OPEN)) ?? undefined;
if (open !== undefined) await goOn(open);
