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
    await runtime.content.remove([path]);
    await show();
  });
  item.append(forget);
  return item;
}

write.addEventListener('submit', async (event) => {
  event.preventDefault();
  const text = new FormData(write).get('text');
  write.reset();
  await keepNote('mine', text);
});

async function answerTo({ who, question, ...options }) {
  const { model, note = '', close } = await MODELS[who](options, question);
  try {
    return note + (await run(model, question));
  } finally {
    close?.();
  }
}

async function run(model, question) {
  element.model = model;
  const done = new Promise((resolve) => element.addEventListener('sallyport-done', resolve, { once: true }));
  await element.start(question);
  const { detail } = await done;
  return detail.message ?? `No answer: ${detail.code}`;
}

ask.addEventListener('submit', async (event) => {
  event.preventDefault();
  answer.textContent = '…';
  try {
    answer.textContent = await answerTo(Object.fromEntries(new FormData(ask)));
  } catch ({ message }) {
    answer.textContent = message;
  }
});

ask.who.addEventListener('change', () => {
  for (const part of ask.querySelectorAll('fieldset')) part.hidden = part.disabled = part.id !== ask.who.value;
});

await show();
document.querySelector('fieldset').disabled = false;
