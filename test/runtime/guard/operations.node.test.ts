import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Bodies, JsonObject } from '../../../core/index.ts';
import { defineCapability, definePower, fromScript, type Runtime } from '../../../workers/node.ts';
import { execute, message, name, put, read } from '../content/messages.ts';
import { expectReplayed } from '../replayed.ts';
import { openRuntime } from '../shared.ts';

const terms = { version: '1.0.0', description: 'For a test.', args: {} } as const;
const plain = { ...terms, labels: [] } as const;
const sent: unknown[] = [];
const board: string[] = [];
const powers = [
  definePower({ ...plain, name: 'mail.send', effect: 'egress', run: (body) => sent.push(body) }),
  definePower({ ...plain, name: 'board.read', effect: 'read', run: () => board.at(-1) ?? null }),
  definePower({
    ...terms,
    name: 'vault.read',
    effect: 'read',
    labels: ['private', 'untrusted'],
    run: () => {
      board.push('PIN 4711');
      return null;
    },
  }),
];
const capabilities = [
  defineCapability({
    ...plain,
    name: 'look',
    effect: 'read',
    powers: ['vault.read'],
    source: 'export default (_, { vault }) => vault.read({});',
  }),
  defineCapability({
    ...plain,
    name: 'post',
    effect: 'egress',
    powers: ['board.read', 'mail.send'],
    source: `export default async (_, { board, mail }) =>
      mail.send({ body: await board.read({}) }).catch((error) => error.name);`,
  }),
  defineCapability({
    ...plain,
    name: 'notes',
    effect: 'write',
    powers: ['store.put', 'store.get'],
    args: { type: 'object', properties: { flag: { type: 'integer' } } },
    source: `export default async ({ flag }, { store }) =>
      flag === undefined ? store.get('flag') : store.put('flag', flag);`,
  }),
];

let runtime: Runtime;
let asked: string[] = [];
beforeEach(async () => {
  sent.length = 0;
  asked = [];
  runtime = await openRuntime({
    capabilities,
    powers,
    grants: [
      ...['look', 'post', 'notes', 'content.read'].map((capability) => ({ capability, mode: 'allow' }) as const),
      ...powers.map((power) => ({ power: power.name, mode: 'allow' }) as const),
    ],
    approve: async ({ capability }) => {
      asked.push(capability);
      return { approved: false, reason: 'no' };
    },
  });
  await put(runtime, { 'a.md': '# A\nprivate\n' });
  await name(runtime, '@N/a', 'SECTION', 'a.md#["A"]');
});
afterEach(() => runtime.close());

/** Runs one message; returns the labels of its receipt. */
async function send(...ops: readonly JsonObject[]): Promise<readonly string[]> {
  const run = runtime.start({
    dialect: 'catalytic',
    task: 'Work.',
    model: fromScript([message(ops)]),
    limits: { steps: 1 },
  });
  await run.result;
  await expectReplayed(await runtime.ledger.export(run.id, { secrets: true }));
  const records = await runtime.ledger.records(run.id);
  const receipt = records.find(({ kind }) => kind === 'receipt')?.body as Bodies['receipt'];
  return receipt.evidence.labels;
}

test('a power that sends becomes a question when an earlier operation of its message has read private content', async () => {
  await send(execute('@TOOLS/look', { args: {} }), execute('@TOOLS/post', { args: {} }));
  expect([asked, sent]).toEqual([['mail.send'], []]);
});

test('a power that sends runs without a question when no earlier operation has read content', async () => {
  expect(await send(execute('@TOOLS/post', { args: {} }))).toEqual([]);
  expect([asked, sent.length]).toEqual([[], 1]);
});

test('a value that is put behind a READ is kept with the labels of the READ', async () => {
  await send(read('@N/a', { slice: 'head(2)' }), execute('@TOOLS/notes', { args: { flag: 1 } }));
  expect(await send(execute('@TOOLS/notes', { args: {} }))).toEqual(['private', 'untrusted']);
});
