import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { literalsIn } from './literals.ts';

/**
 * Content, not interface: a model reads it and a ledger records it, or a program is made of it. A lesson takes its words
 * from its table.
 */
const CONTENT = [
  'demo',
  'copy-code/formats',
  'learn/lessons',
  ...['calendar', 'library', 'mail', 'sheet', 'shop', 'wiki'].map((name) => `gallery/${name}`),
];

/** Files of content beside the interface: hostile guests and proposals, and the worlds of incidents. Their titles and captions are in the tables. */
const CONTENT_FILES = ['attacks', 'escape-capability', 'escapes', 'incidents'].map(
  (name) => `web/playground/breakout/${name}.ts`,
);

/** Strings that look like a text of the interface and are none, by file. */
const NO_TEXTS: { readonly [file: string]: readonly string[] } = {
  // The command of a terminal.
  'web/playground/audit/audit-view.ts': ['npx sallyport verify ◊◊', ' --checkpoint checkpoint.txt', ' --anchor ◊'],
  // What a model is told of the capabilities.
  'web/playground/corpus/own-files.ts': ['In the own files of the person who asks. ◊'],
  // A task of a lesson names a falsification by its English word; the last is written into a record.
  'web/playground/files/tampering.ts': [
    'Flip a byte',
    'Delete record',
    'Swap two',
    'Cut the end',
    'Change a decision',
    'Change a cost',
    'Rewrite whole chain',
    'someone else',
  ],
  // The task of the run, and the goals of its proposals.
  'web/playground/breakout/attempts.ts': ['Break out', 'Go on'],
  // The name of a model, the goal of its proposals, and the reason of a denial.
  'web/playground/breakout/incident-run.ts': [
    'as the script says',
    'I have not asked for this.',
    'script: an incident',
  ],
  // The name of an interface of the browser.
  'web/playground/shell/notifications.ts': ['Notification'],
  // The name of a hash, and samples of an address and of a symbol.
  'web/playground/corpus/corpus-file.ts': ['SHA-256 ◊', '@BAKERY/OVENS'],
  'web/playground/corpus/corpus-sources.ts': ['https://example.org/docs/'],
  // The message of an error with a code, as the kernel's.
  'web/playground/corpus/sources/folder.ts': [
    'has more than ◊ entries',
    'unpacks to more than ◊ bytes',
    'The archive ◊. Nothing was added. Split it.',
  ],
  // Names of products, and samples of an address and of a model.
  'web/playground/endpoint/endpoint-dialog.ts': [
    'Ollama',
    'LM Studio',
    'Anthropic',
    'Google',
    'Mistral',
    'Groq',
    'http://localhost:11434/v1',
    'qwen3:8b',
  ],
  // Names of the scenarios, which are content.
  'web/playground/gallery/cards.ts': [
    'Kestrel Street Bakery',
    'Brightwater Boat Hire',
    'Larkfield Practice',
    'Pebble & Pine, returns',
    'Rowing club accounts',
    'Wiki of a workshop',
    'Lending shelf of a street',
  ],
  // A line of the console, as the kernel's.
  'web/playground/main.ts': ['sallyport: ◊ (◊)'],
  'web/playground/models/gguf-panel.ts': ['.files button'],
  // The first record of a run names it.
  'web/playground/models/device-models.ts': ['small-model, not held to a form'],
  'web/playground/propose-form/propose-form.ts': ['input, select, textarea'],
  // The first word of a message of the kernel.
  'web/playground/inspector/explain.ts': ['Stopped'],
  // A record has the reason of an abort, the name of the model, and its task; the model reads the proposals.
  'web/playground/lab/lab.ts': ['Try something out', 'lab: handed in', 'the lab is closed'],
  'web/playground/lab/stop-place.ts': ['not in the record'],
  'web/playground/run/run-actions.ts': ['stopped by a person'],
  'web/playground/run/fork.ts': ['◊ before step ◊', 'a file before step ◊', 'forked from ◊'],
  'web/playground/run/proposal.ts': [
    'Try it',
    'Try ◊',
    '{"next_step":{"tool":◊,"arguments":◊,"goal":"Try it"}}',
    '{"done":true,"message":"That was it."}',
    '{"message":{"content":"That was it."}}',
    '{"intent":"That was it.","refs":[],"ops":[],◊}',
  ],
  'web/playground/run/proposer.ts': [
    'The script has no more proposals.',
    'This run has no model.',
    'script or person',
    '◊, script or person',
    'playground, ◊',
  ],
  // A tag of the question, which a person never sees.
  'web/playground/storage/storage-dialog-view.ts': ['delete everything', '.head button'],
  'web/playground/storage/storage-dialog.ts': ['delete everything'],
  // The first record of a run names it.
  'web/playground/send/markup.ts': ['markup makes it'],
  // Units, the same in every language.
  'web/playground/send/step-times.ts': ['◊ min ◊ s'],
  'web/playground/shell/app.ts': [
    'sp-abort, sp-help, sp-palette, sp-endpoint, sp-keep, sp-compare-runs, sp-gallery, sp-code-copy',
  ],
  // The name of each language is in that language.
  'web/playground/shell/languages.ts': ['English', 'Deutsch'],
  'web/playground/shell/offline.ts': ['take over'],
  // The task and the goal of a try, and the blank draft: a ledger records them.
  'web/playground/workshop/workshop.ts': ['Try it', '{"next_step":{"tool":◊,"arguments":◊,"goal":"Try it"}}'],
  'web/playground/workshop/draft.ts': [
    'Greets somebody by name.',
    "export default ({ name }) => {\n  console.log('greeting', name);\n  return { greeting: \\`Good morning, \\${name}!\\` };\n};\n",
  ],
};

const folders = readdirSync('web/playground', { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && !CONTENT.includes(entry.name))
  .map(({ name }) => `web/playground/${name}`);

function filesIn(folder: string, recursive = true): readonly string[] {
  return readdirSync(folder, { recursive, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => `${folder}/${file}`)
    .filter((file) => !CONTENT_FILES.includes(file))
    .filter((file) => !CONTENT.some((each) => file.startsWith(`web/playground/${each}/`)));
}

const files = [
  ...filesIn('web/playground', false),
  ...[...folders, 'web/records'].flatMap((folder) => filesIn(folder)),
];

describe('the texts of the interface', () => {
  it.each(files)('%s has its texts in the tables', (file) => {
    const literals = literalsIn(file, readFileSync(file, 'utf8'));
    expect(literals.filter((text) => NO_TEXTS[file]?.includes(text) !== true)).toEqual([]);
  });

  it('each exception is still in its file', () => {
    const gone = Object.entries(NO_TEXTS).flatMap(([file, texts]) => {
      const literals = literalsIn(file, readFileSync(file, 'utf8'));
      return texts.filter((text) => !literals.includes(text)).map((text) => `${file}: ${text}`);
    });
    expect(gone).toEqual([]);
  });

  it.each([
    ['html`<p>No step yet</p>`', 'No step yet'],
    ['html`<p>${n} of ${m}</p>`', '◊ of ◊'],
    ['html`<button aria-label="Close"></button>`', 'Close'],
    ['html`<input placeholder="a name" />`', 'a name'],
    ["const x = 'The run is over.';", 'The run is over.'],
    ['const x = `The run of ${name}`;', 'The run of ◊'],
    ["const x = { word: 'Ledger' };", 'Ledger'],
  ])('the text planted by %s is found', (source, text) => {
    expect(literalsIn('x.ts', source)).toEqual([text]);
  });

  it.each([
    'html`<p class="soft note" role="status">${texts.none}</p>`',
    'html`<span>Sallyport</span><kbd>?</kbd>`',
    "import { x } from 'a b';",
    "const x = event.key === 'Enter';",
    "const x = { kind: 'run_seq' };",
    'css`.a .b { color: red }`',
  ])('%s has no text', (source) => {
    expect(literalsIn('x.ts', source)).toEqual([]);
  });
});
