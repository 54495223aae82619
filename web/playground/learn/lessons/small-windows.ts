import { type Lesson, lesson, receipt, rejected } from './lesson.ts';

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

export const SMALL_WINDOWS: Lesson = lesson('smallWindows', {
  number: 8,
  minutes: 6,
  right: 2,
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
  starters: {
    everything: EVERYTHING,
    much: MUCH,
    window: WINDOW,
    write: WRITE,
  },
  tasks: {
    everything: { steps: [[rejected('arguments', 'slice_unbounded')]] },
    much: { steps: [[receipt('FAILURE', 'budget_bytes')]] },
    window: {
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
    write: {
      steps: [
        [
          { kind: 'approval', body: { event: 'asked' } },
          { kind: 'approval', body: { event: 'answered', approved: true } },
          receipt('SUCCESS'),
        ],
      ],
    },
    gone: { steps: [[rejected('capability', 'target_gone')]] },
  },
  key: [
    { send: EVERYTHING },
    { send: MUCH },
    { send: WINDOW },
    { send: WRITE },
    { answer: 'approve' },
    { rewrite: true },
    { send: WINDOW },
  ],
});
