import { afterEach, expect, test } from 'vitest';
import type { Grant, LedgerRecord } from '../../../core/index.ts';
import { whyUnasked } from '../../../web/playground/inspector/why-unasked.ts';
import { describe as lineOf } from '../../../web/records/describe.ts';
import { heldOf } from '../../../web/records/held.ts';
import { groupSteps, outcomeOf, outcomeText } from '../../../web/records/steps.ts';
import type { Runtime, Session } from '../../../workers/api.ts';
import { defineCapability, defineTool, type NodeOptions } from '../../../workers/node.ts';
import { openRuntime } from '../../runtime/shared.ts';

const common = { version: '1.0.0', description: 'For a test.' } as const;
const TEXT = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] } as const;
const ANY = ['private', 'untrusted'] as const;
const mail = defineTool({ ...common, name: 'mail.search', effect: 'read', args: {}, run: () => 'secret' });
const bare = defineTool({ ...common, name: 'clock', effect: 'read', labels: [], args: {}, run: () => 'noon' });
const file = defineTool({ ...common, name: 'file.put', effect: 'write', labels: [], args: TEXT, run: () => 'ok' });
const plain = defineTool({ ...common, name: 'note.put', effect: 'write', labels: [], args: TEXT, run: () => 'ok' });
const count = defineTool({ ...common, name: 'count', effect: 'pure', labels: [], args: TEXT, run: () => 1 });
const upper = defineCapability({ ...common, name: 'upper', effect: 'pure', args: TEXT, run: ({ text }) => text });
const isLong = defineCapability({
  ...common,
  name: 'is.long',
  effect: 'pure',
  args: TEXT,
  result: { type: 'boolean' },
  run: ({ text }) => text.length > 5,
});
const grants: NonNullable<NodeOptions['grants']> = [
  { capability: 'mail.search', mode: 'allow' },
  { capability: 'clock', mode: 'allow' },
  { capability: 'file.put', mode: 'allow', accepts: { '/text': ANY } },
  { capability: 'note.put', mode: 'allow' },
  { capability: 'count', mode: 'allow' },
  { capability: 'upper', mode: 'allow' },
  { capability: 'is.long', mode: 'allow', release: { bits: 8 } },
];

let open: Runtime | undefined;
afterEach(() => open?.close());

/** A run of these calls, with what its views say of each step. */
async function played(calls: (session: Session) => Promise<void>, approved = true) {
  open = await openRuntime({
    tools: [mail, bare, file, plain, count],
    capabilities: [upper, isLong],
    grants,
    hold: 'all',
    approve: async () => (approved ? { approved: true, standing: { args: 'any' } } : { approved: false, reason: 'no' }),
  });
  const session = open.openSession();
  await calls(session);
  await session.close();
  const { ledger } = open;
  const run = await ledger.records(session.run.id);
  const json = async (ref: Parameters<typeof ledger.payload>[1]) =>
    JSON.parse(new TextDecoder().decode(await ledger.payload(session.run.id, ref)));
  const [first] = run;
  const policy = first?.kind === 'configuration' ? await json(first.body.policy) : {};
  const groups = groupSteps(run).filter(({ step }) => step !== undefined);
  return Promise.all(
    groups.map(async (group) => {
      const verdict = group.records.find((record) => record.kind === 'verdict')?.body;
      const args = verdict?.args === undefined ? null : await json(verdict.args);
      const facts = { step: group.records, run, args, grants: policy.grants as readonly Grant[] };
      return { unasked: whyUnasked(facts), handle: heldOf(group.records)?.handle, group, outcome: outcomeOf(group) };
    }),
  );
}

const last = <K extends LedgerRecord['kind']>(records: readonly LedgerRecord[], kind: K) =>
  records.findLast((record) => record.kind === kind) as LedgerRecord;

test('a step says why nobody was asked about its held values', async () => {
  const place = { pointer: '/text', labels: ANY, handle: 'h3' };
  const steps = await played(async (session) => {
    await session.call('clock', {});
    await session.call('note.put', { text: { $held: 'h1' } });
    await session.call('mail.search', {});
    await session.call('file.put', { text: { $held: 'h3' } });
    await session.call('upper', { text: { $held: 'h3' } });
    await session.call('count', { text: { $held: 'h3' } });
    await session.call('note.put', { text: { $held: 'h3' } });
    await session.call('note.put', { text: { $held: 'h3' } });
    await session.call('note.put', { text: 'own words' });
  });
  expect(steps.map(({ unasked }) => unasked)).toEqual([
    undefined,
    { why: 'unlabelled', places: [{ ...place, labels: [], handle: 'h1' }] },
    undefined,
    { why: 'accepted', places: [place] },
    { why: 'inside', places: [place] },
    { why: 'pure', places: [place] },
    // this one asked
    undefined,
    { why: 'answered', places: [place] },
    undefined,
  ]);
  expect(steps.map(({ handle }) => handle)).toEqual(['h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'h7', 'h8', 'h9']);
  expect(steps[0]?.outcome.chip).toEqual({ kind: 'held', word: 'held as h1', short: 'h1' });
  expect(steps[0] && outcomeText(steps[0].group)).toBe('passed, held as h1');
  expect(lineOf(last(steps[0]?.group.records ?? [], 'receipt')).summary).toContain('held as h1');
});

test('a held call that a person refused is stopped for the person, at its gate', async () => {
  const steps = await played(async (session) => {
    await session.call('mail.search', {});
    await session.call('note.put', { text: { $held: 'h1' } });
    await session.call('upper', { text: { $held: 'h2' } });
  }, false);
  expect(steps.map(({ group }) => group.stopped)).toEqual([undefined, 'approve', 'authorize']);
  expect(steps.map(({ outcome }) => outcome)).toMatchObject([
    { tone: 'good', place: '', chip: { short: 'h1' } },
    { tone: 'bad', place: 'at approve', chip: { short: 'h2' } },
    { tone: 'bad', place: 'at authorize', chip: { short: 'h3' } },
  ]);
});

test('a step whose small value the model was told says its bits', async () => {
  const steps = await played(async (session) => {
    await session.call('mail.search', {});
    await session.call('is.long', { text: { $held: 'h1' } });
  });
  expect(steps.map(({ handle }) => handle)).toEqual(['h1', undefined]);
  expect(steps[1]?.outcome.chip).toEqual({ kind: 'release', word: 'released for 2 bits', short: '2 bits' });
});
