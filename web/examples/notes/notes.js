import './sallyport/element.js';
import { CORPUS_CAPABILITIES, defineCapability, definePower, fromEndpoint, openRuntime } from './sallyport/index.js';
import { standIn } from './stand-in.js';

const [write, ask, list, answer, element] = ['#write', '#ask', '#notes', 'output', 'sallyport-run'].map((selector) =>
  document.querySelector(selector),
);

const TEXT = {
  type: 'object',
  required: ['text'],
  additionalProperties: false,
  properties: { text: { type: 'string', minLength: 1, maxLength: 2000 } },
};

/** What only this page can do. It is granted, and yet a person is asked: by then the model has read notes. */
const keep = definePower({
  name: 'notes.keep',
  version: '1.0.0',
  description: 'Keeps a note.',
  effect: 'write',
  args: TEXT,
  run: async ({ text }) => {
    await keepNote(text);
    return true;
  },
});

/** What a model may propose: it runs in the sandbox, and has the power above and nothing else. */
const writeNote = defineCapability({
  name: 'notes.write',
  version: '1.0.0',
  description: 'Keeps a new note with this text.',
  effect: 'write',
  args: TEXT,
  powers: ['notes.keep'],
  source: 'export default async ({ text }, powers) => ({ kept: await powers.notes.keep({ text }) });',
});

// Notes are content of the runtime: kept in this browser, found by words, read by slices under a budget, and labelled
// private and untrusted wherever they go.
const runtime = await openRuntime({
  capabilities: [...CORPUS_CAPABILITIES, writeNote],
  powers: [keep],
  grants: [
    { capability: 'corpus.search', mode: 'allow', uses: 5 },
    { capability: 'corpus.read', mode: 'allow', uses: 5 },
    // what both look at is content, which is granted by itself
    { capability: 'content.read', mode: 'allow', uses: 10 },
    { capability: 'notes.write', mode: 'allow', uses: 1 },
    { power: 'notes.keep', mode: 'allow', uses: 1 },
  ],
});
element.runtime = runtime;

async function keepNote(text) {
  await runtime.content.add([{ path: `${Date.now()}.md`, bytes: new TextEncoder().encode(text) }]);
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
  await keepNote(text);
});

/** A model on this computer is another program all the same, so it is told nothing private before a person agrees. */
function asStranger(model, server) {
  return { id: model.id, propose: model.propose, locality: { kind: 'remote', origin: new URL(server).origin } };
}

async function answerFrom({ server, model, question }) {
  const door = await fromEndpoint({ baseUrl: server, model });
  try {
    const { status, models } = await door.test();
    if (status === 'unreachable')
      return `A script answers, because no server does: ${await run(standIn(question), question)}`;
    if (status === 'unknown_model') return `The server has no model ${model}. It has: ${models.join(', ')}`;
    if (status !== 'ok') return `The server cannot be used from ${location.origin}: ${status}`;
    return await run(asStranger(door, server), question);
  } finally {
    door.close();
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
  answer.textContent = await answerFrom(Object.fromEntries(new FormData(ask))).catch(String);
});

await show();
document.querySelector('fieldset').disabled = false;
