import './sallyport/element.js';
import { defineCapability, fromOpenAI, openRuntime } from './sallyport/index.js';

const KEY = 'notes';
const notes = JSON.parse(localStorage.getItem(KEY) ?? '[]');
const [write, ask, list, answer, element] = ['#write', '#ask', '#notes', 'output', 'sallyport-run'].map((selector) =>
  document.querySelector(selector),
);

function show() {
  list.replaceChildren(...notes.map((text) => Object.assign(document.createElement('li'), { textContent: text })));
}

write.addEventListener('submit', (event) => {
  event.preventDefault();
  notes.push(new FormData(write).get('text'));
  localStorage.setItem(KEY, JSON.stringify(notes));
  write.reset();
  show();
});

/** The notes as data of the capability: it runs in the sandbox, and finds them nowhere else. */
function searchIn(texts) {
  return defineCapability({
    name: 'notes.search',
    version: '1.0.0',
    description: 'Finds the notes that contain all of the words, ignoring case. At most five.',
    effect: 'read',
    args: {
      type: 'object',
      required: ['words'],
      additionalProperties: false,
      properties: { words: { type: 'array', minItems: 1, maxItems: 5, items: { type: 'string', maxLength: 40 } } },
    },
    source: `const NOTES = ${JSON.stringify(texts)};
export default ({ words }) => {
  const wanted = words.map((word) => word.toLowerCase());
  return NOTES.filter((note) => wanted.every((word) => note.toLowerCase().includes(word))).slice(0, 5);
};`,
  });
}

async function answerFrom(server, model, question) {
  const runtime = await openRuntime({
    capabilities: [searchIn(notes)],
    grants: [{ capability: 'notes.search', mode: 'allow', uses: 5 }],
  });
  try {
    element.runtime = runtime;
    element.model = fromOpenAI({ baseUrl: server, model });
    const done = new Promise((resolve) => element.addEventListener('sallyport-done', resolve, { once: true }));
    await element.start(question);
    const { detail } = await done;
    return detail.message ?? `No answer: ${detail.code}`;
  } finally {
    await runtime.close();
  }
}

ask.addEventListener('submit', async (event) => {
  event.preventDefault();
  const { server, model, question } = Object.fromEntries(new FormData(ask));
  answer.textContent = '…';
  answer.textContent = await answerFrom(server, model, question);
});

show();
