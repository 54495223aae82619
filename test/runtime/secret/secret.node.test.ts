import { afterAll, describe, expect, test } from 'vitest';
import { contentHash } from '../../../core/content/text.ts';
import type { JsonObject } from '../../../core/json/value.ts';
import { parseExport } from '../../../core/ledger/export.ts';
import { payloadRefs } from '../../../core/ledger/payloads.ts';
import type { Run, Runtime } from '../../../workers/api.ts';
import { createSandbox, fromScript } from '../../../workers/node.ts';
import { emptyLog } from '../../../workers/store/memory/store.ts';
import { replayed } from '../replayed.ts';
import { forgetTemplates, PIN } from './guess.ts';
import {
  type Approve,
  CAPABILITIES,
  call,
  type Dialect,
  foundIn,
  last,
  later,
  leftOf,
  open,
  TEXT,
  whole,
  writing,
  YES,
} from './world.ts';

afterAll(forgetTemplates);

const DIALECTS: readonly Dialect[] = ['femtoclaw', 'xct', 'catalytic'];
const NO: Approve = () => ({ approved: false, reason: `not ${PIN}` });
const EXACT: Approve = () => ({ approved: true, standing: { args: 'exact', uses: 3 } });

interface Said {
  readonly what: string;
  readonly script: (dialect: Dialect) => readonly (object | string)[];
  /** Least number of texts of the run that hold the secret. */
  readonly least: number;
  readonly approve?: Approve;
}

const SAID: readonly Said[] = [
  { what: 'arguments and a result', script: (d) => [call(d, 'pin.echo'), call(d, 'pin.echo')], least: 8 },
  { what: 'a result', script: (d) => [call(d, 'pin.result', {})], least: 2 },
  { what: 'what a capability throws', script: (d) => [call(d, 'pin.throw')], least: 3 },
  { what: 'a result that is refused', script: (d) => [call(d, 'pin.bad')], least: 2 },
  { what: 'arguments that are refused', script: (d) => [call(d, 'pin.echo', { pin: PIN, more: 1 })], least: 1 },
  { what: 'a call that is approved', script: (d) => [call(d, 'pin.ask')], least: 4 },
  { what: 'a call that is denied', script: (d) => [call(d, 'pin.ask')], least: 3, approve: NO },
  {
    what: 'arguments that are permitted more than once',
    script: (d) => [call(d, 'pin.ask'), call(d, 'pin.ask')],
    least: 8,
    approve: EXACT,
  },
  { what: 'what powers are asked and answer', script: (d) => [call(d, 'pin.powers')], least: 6 },
  { what: 'what is kept', script: (d) => [call(d, 'pin.store')], least: 4 },
  { what: 'content that a call expands', script: (d) => [call(d, 'pin.expand')], least: 4 },
  { what: 'bytes that call nothing', script: () => [`{"pin":${PIN}`, `${PIN} ${'x'.repeat(70_000)}`], least: 1 },
  { what: 'a name that nobody has', script: (d) => [call(d, 'pin.ech')], least: 1 },
];

/**
 * With its secrets the run replays to its last record. Without them no check fails, and the report counts the skipped
 * payloads.
 */
async function expectHonest(bare: string, full: string): Promise<void> {
  const [one, other] = [await replayed(full), await replayed(bare)];
  for (const { id, status, first } of one.checks)
    expect([id, status, first?.message]).toEqual([id, id === 'anchor' ? 'not_run' : 'pass', undefined]);
  for (const { id, status, first } of other.checks) {
    const isOfHashes = id === 'form' || id === 'hashes' || id === 'links';
    expect([id, status, first?.message]).toEqual([
      id,
      isOfHashes ? 'pass' : expect.not.stringMatching('fail'),
      undefined,
    ]);
  }
  expect(other.checks.find(({ id }) => id === 'decisions')?.skipped?.count).toBeGreaterThan(0);
}

/** Expects that no text that leaves tells the secret, and that the records still verify. */
async function expectHidden(runtime: Runtime, run: Run, least: number): Promise<void> {
  const left = await leftOf(runtime, run);
  const { tried, found } = foundIn(left);
  expect(tried).toBeGreaterThanOrEqual(least);
  expect(found).toEqual([]);
  await expectHonest(left.bare, left.full);
}

describe.each(DIALECTS)('%s: a stranger who tries every number does not find the secret', (dialect) => {
  test.each(SAID)('the hashes that leave do not tell the secret of $what', async ({ script, least, approve }) => {
    const { runtime, run } = await whole(dialect, script(dialect), approve);
    await expectHidden(runtime, run, least);
  });

  test('the hashes that leave do not tell the secret of a call that is asked about again after a crash', async () => {
    const log = emptyLog();
    const before = await open(log, true);
    const model = fromScript([call(dialect, 'pin.ask'), last(dialect)] as never);
    const run = before.start({ dialect, task: 'Open.', model });
    await run.step();
    await expect.poll(() => run.view.pending).toBeDefined();
    const after = await open(structuredClone(log), false, EXACT);
    const again = await after.resume(run.id, fromScript([call(dialect, 'pin.ask'), last(dialect)] as never));
    await again.run();
    expect(await again.result).toMatchObject({ state: 'completed', steps: 3 });
    await expectHidden(after, again, 8);
  });

  test('the hashes that leave do not tell the secret of a call that a crash has cut off', async () => {
    const log = emptyLog();
    const before = await open(log, true, YES);
    const run = before.start({ dialect, task: 'Open.', model: fromScript([call(dialect, 'pin.ask')] as never) });
    await run.step();
    const cut = structuredClone(log);
    cut.batches.pop();
    const after = await open(cut, false, YES);
    const again = await after.resume(run.id, fromScript([last(dialect)] as never));
    await again.run();
    expect(await again.result).toMatchObject({ state: 'completed', steps: 2 });
    await expectHidden(after, again, 2);
  });

  test('the hashes that leave do not tell the secret of a call that is parked and resumed', async () => {
    const log = emptyLog();
    const before = await open(log, true);
    const model = fromScript([call(dialect, 'pin.powers'), last(dialect)] as never);
    const run = before.start({ dialect, task: 'Open.', model, heapHash: true });
    await run.step();
    const parked = () => log.batches.flatMap(({ records }) => records).some((text) => text.includes('"kind":"parked"'));
    await expect.poll(parked, { timeout: 5_000 }).toBe(true);
    const after = await open(structuredClone(log), false, YES);
    const again = await after.resume(run.id, fromScript([last(dialect)] as never));
    await again.run();
    expect(await again.result).toMatchObject({ state: 'completed' });
    await expectHidden(after, again, dialect === 'catalytic' ? 3 : 6);
  });
});

describe('catalytic: a stranger who tries every number does not find the secret of a message', () => {
  test('the hashes that leave do not tell the secret that a later operation is given', async () => {
    const { runtime, run } = await whole('catalytic', [later('pin.echo'), later('pin.throw'), later('pin.powers')]);
    await expectHidden(runtime, run, 10);
  });

  test('the hashes that leave do not tell the content that a message writes beside a secret call, also after an undo', async () => {
    const { runtime, run } = await whole('catalytic', [writing(contentHash(TEXT))]);
    await expectHidden(runtime, run, 5);
    expect(await runtime.content.text('pin.md')).toContain(`${PIN} it is`);
    await runtime.content.undo(run.id, 1);
    expect(await runtime.content.text('pin.md')).toBe(TEXT);
  });
});

test('a stranger who runs the capability with every number does not find the heap that it left', async () => {
  const { runtime, run } = await whole('xct', [call('xct', 'pin.other')]);
  const { bare, full } = await leftOf(runtime, run);
  const decision = parseExport(bare).records.find((line) => line?.record.kind === 'decision')?.record.body as never;
  const { now, step_id } = decision as { now: number; step_id: string };
  const sandbox = await createSandbox();
  const { name, source } = CAPABILITIES.find((each) => each.name === 'pin.other') as { name: string; source: string };
  const loaded = await sandbox.load({ name, source });
  const seed = Number.parseInt(step_id.slice(0, 8), 16);
  const settled = await loaded.call({ pin: PIN }, { seed, now, heapHash: true });
  const heap = 'heapHash' in settled ? settled.heapHash : undefined;
  expect(heap).toMatch(/^[0-9a-f]{64}$/);
  expect([full.includes(heap ?? ''), bare.includes(heap ?? '')]).toEqual([true, false]);
  await sandbox.close();
});

test('two steps with the same secret have no hash in common', async () => {
  const { runtime, run } = await whole('xct', [call('xct', 'pin.echo'), call('xct', 'pin.echo')]);
  const records = await runtime.ledger.records(run.id);
  const steps = [1, 2].map((step) =>
    records.filter(({ body }) => ('step' in body ? body.step : 'evidence' in body ? body.evidence.step : 0) === step),
  );
  const hashes = steps.map((own) => new Set(own.flatMap(payloadRefs).map(({ sha256 }) => sha256)));
  expect(hashes.map(({ size }) => size)).toEqual([6, 6]);
  expect([...(hashes[0] ?? [])].filter((hash) => hashes[1]?.has(hash))).toEqual([]);
});

test('a standing approval of secret arguments covers the same arguments, and other arguments are a new question', async () => {
  const asked: string[] = [];
  const script = [PIN, PIN, PIN + 1].map((pin) => call('xct', 'pin.ask', { pin }));
  const { runtime, run } = await whole('xct', script, (args) => {
    asked.push(args);
    return { approved: true, standing: { args: 'exact' } };
  });
  expect(asked).toEqual([`{"pin":${PIN}}`, `{"pin":${PIN + 1}}`]);
  expect((await run.result).state).toBe('completed');
  await expectHidden(runtime, run, 8);
});

test('a plain step beside a secret step is recorded without salts', async () => {
  const { runtime, run } = await whole('xct', [call('xct', 'pin.echo'), call('xct', 'echo', { pin: 1 })]);
  const records = await runtime.ledger.records(run.id);
  const second = records.filter(({ body }) => 'step' in body && body.step === 2);
  expect(second.flatMap(payloadRefs).every((ref) => !('salt' in ref))).toBe(true);
  const verdict = second.find(({ kind }) => kind === 'verdict')?.body as unknown as { args: JsonObject };
  expect(verdict.args).toEqual({ bytes: 9, sha256: contentHash('{"pin":1}') });
});

test('a payload is read by its reference without the salt, and by its hash with it', async () => {
  const { runtime, run } = await whole('xct', [call('xct', 'pin.echo')]);
  const records = await runtime.ledger.records(run.id);
  const [ref] = records.flatMap((record) => (record.kind === 'verdict' && record.body.args ? [record.body.args] : []));
  if (ref === undefined) throw new Error('no arguments');
  const text = (bytes: Uint8Array | undefined) => new TextDecoder().decode(bytes);
  expect(text(await runtime.ledger.payload(run.id, ref))).toBe(`{"pin":${PIN}}`);
  expect(text(await runtime.ledger.payload(run.id, ref.sha256))).toMatch(/^[0-9a-f]{64}\{"pin":4711\}$/);
  expect(ref).toEqual({ bytes: 64 + 12, salt: 64, sha256: expect.any(String) });
});
