import { type Lesson, receipt, rejected } from './lesson.ts';

const BUDGETS = { max_symbols: 10, max_sections: 10, max_bytes_expanded: 1000, max_expands_per_step: 3 };

/** A message with a single slice; it states every member, as the contract demands. */
const read = (target: string, slice: string): string =>
  JSON.stringify({
    intent: 'Find out how the mill is paid',
    refs: [target],
    ops: [{ type: 'READ', target, params: { slice } }],
    budgets: BUDGETS,
    required_outputs: [],
  });

/** Replaces the current section, named by its hash, with the same text and a further line. */
const WRITE = JSON.stringify({
  intent: 'Note what October cost',
  refs: ['@BAKERY/PAYING'],
  ops: [
    {
      type: 'WRITE',
      target: '@BAKERY/PAYING',
      params: {
        content: [
          '## How we pay Marlow Mill',
          '',
          'We pay each delivery by Friday of the week after, except the last one of a month, which we settle in',
          'the first week of the next. Until then its row says `open`: it is owed, but it is not money we have paid.',
          'Credit notes are rows with a minus and count in the month they are dated. The pallet deposit is not',
          'flour; it has a category of its own and comes back when the pallet does.',
          'October: £606.60 paid, £252.00 open.',
          '',
          '',
        ].join('\n'),
        expected_hash: 'a02a49d87daa17247c8464352c199606884b4989a3739e5b5113d24070810b87',
      },
    },
  ],
  budgets: BUDGETS,
  required_outputs: [],
});

const EVERYTHING = read('@BAKERY/SUPPLIERS', 'ALL');
const MUCH = read('@BAKERY/SUPPLIERS', 'head(40)');
const WINDOW = read('@BAKERY/PAYING', 'head(7)');

export const SMALL_WINDOWS: Lesson = {
  number: 8,
  title: 'Small windows',
  minutes: 6,
  goal: 'Find out how the mill is paid, within 1,000 bytes. A symbol names a place in a paper. A window of it has a beginning and an end, and both are recorded.',
  predict: {
    question: 'The model asks for ALL of a file. What does it get?',
    answers: ['The file.', 'The beginning of the file.', 'A refusal, and the kinds of window there are.'],
    right: 2,
    because: 'ALL has no end, so it is not a window. Silently returning a part of the file would mislead the model.',
  },
  capabilities: [],
  dialect: 'catalytic',
  budgets: BUDGETS,
  paper: {
    path: 'notes/suppliers.md',
    symbols: { '@BAKERY/SUPPLIERS': [], '@BAKERY/PAYING': ['Suppliers', 'How we pay Marlow Mill'] },
    change: { from: 'by Friday of the week after', to: 'on the day it comes' },
  },
  grants: [
    { capability: 'content.read', mode: 'allow' },
    { capability: 'content.write', mode: 'ask' },
  ],
  starters: [
    { word: 'Everything', text: EVERYTHING },
    { word: 'Forty lines', text: MUCH },
    { word: 'Seven lines', text: WINDOW },
    { word: 'A line more', text: WRITE },
  ],
  tasks: [
    {
      say: 'Ask for everything, and be refused.',
      hint: 'slice: ALL',
      steps: [[rejected('arguments', 'slice_unbounded')]],
    },
    {
      say: 'Ask for more than 1,000 bytes, and be refused before any byte is read.',
      hint: 'head(40) of @BAKERY/SUPPLIERS',
      steps: [[receipt('FAILURE', 'budget_bytes')]],
    },
    {
      say: 'Read the seven lines. The receipt names the text by its hash, and the run now has the labels private and untrusted.',
      hint: 'head(7) of @BAKERY/PAYING',
      steps: [
        [
          {
            kind: 'receipt',
            body: {
              receipt: { status: 'SUCCESS', expanded: [{ symbol_or_section_id: '@BAKERY/PAYING' }] },
              evidence: { labels: ['private', 'untrusted'] },
            },
          },
        ],
      ],
    },
    {
      say: 'Write a line into the section. The card shows the change and asks you: approve it.',
      hint: 'The message names the hash of the text it replaces. If the text has changed since, nothing is written.',
      steps: [
        [
          { kind: 'approval', body: { event: 'asked' } },
          { kind: 'approval', body: { event: 'answered', approved: true } },
          receipt('SUCCESS'),
        ],
      ],
    },
    {
      say: 'Change the paper, then ask for the same window: the symbol’s section is gone, and no other takes its place.',
      hint: 'Change it below, then send the seven lines again.',
      steps: [[rejected('capability', 'target_gone')]],
    },
  ],
  why: 'A small window costs less, leaks less and can be quoted exactly: its hash names the exact text. The run records the labels of the text it read. The next lesson shows why.',
  key: [
    { send: EVERYTHING },
    { send: MUCH },
    { send: WINDOW },
    { send: WRITE },
    { answer: 'approve' },
    { rewrite: true },
    { send: WINDOW },
  ],
};
