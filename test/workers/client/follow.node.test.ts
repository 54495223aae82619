import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import type { LedgerRecord } from '../../../core/index.ts';
import type { ModelPort, Runtime } from '../../../workers/api.ts';
import { localAuditor } from '../../../workers/auditor/auditor.ts';
import { openClient } from '../../../workers/client/client.ts';
import { makeKernel } from '../../../workers/kernel/kernel.ts';
import { nodePorts, openSandboxes } from '../../../workers/node/platform.ts';
import { fromScript } from '../../../workers/node.ts';
import { emptyLog, openMemoryStore } from '../../../workers/store/memory/store.ts';
import { makeClaims } from '../../../workers/store/shared-store.ts';
import { done, NOTE, put } from '../../runtime/note.ts';
import { forChecks, openRuntime } from '../../runtime/shared.ts';

const base = mkdtempSync(join(tmpdir(), 'sallyport-follow-'));
afterAll(() => rmSync(base, { recursive: true, force: true }));

const SPIN = {
  ...NOTE,
  name: 'spin',
  args: {},
  effect: 'pure',
  limits: { fuel: 1_000_000_000, deadlineMs: 3_600_000 },
  source: 'export default () => { for (;;); }',
} as const;
const spin = { next_step: { tool: 'spin', arguments: {}, goal: 'spin' } };

/** Two runtimes over the same directory, like two tabs of the same origin. */
async function two(mode: 'ask' | 'allow' = 'allow'): Promise<[Runtime, Runtime]> {
  const directory = mkdtempSync(join(base, 'log-'));
  const grants = [
    { capability: NOTE.name, mode },
    { capability: SPIN.name, mode },
  ] as const;
  const options = { store: { directory }, capabilities: [NOTE, SPIN], grants };
  return [await openRuntime(options), await openRuntime(options)];
}

const kinds = (records: readonly LedgerRecord[]) => records.map(({ kind }) => kind);

test('a second runtime follows a run record by record to its seal, and the writer keeps the run', async () => {
  const [owner, other] = await two();
  const run = owner.start({ dialect: 'xct', task: 'Note.', model: fromScript([put('tea'), done]), paused: true });
  const seen: LedgerRecord[] = [];
  const all = (async () => {
    for await (const record of other.follow(run.id)) seen.push(record);
  })();
  await expect.poll(() => kinds(seen)).toEqual(['configuration', 'task']);
  await run.step();
  await expect.poll(() => kinds(seen)).toContain('receipt');
  expect(await other.runs()).toMatchObject([{ run_id: run.id, elsewhere: true }]);
  expect((await owner.runs())[0]).not.toHaveProperty('elsewhere');
  await run.run();
  await all;
  expect(seen).toEqual(await owner.ledger.records(run.id));
  expect(seen.at(-1)?.kind).toBe('seal');
  await Promise.all([owner.close(), other.close()]);
});

test('following a run ends at its signal, and following an unknown run fails with run_absent', async () => {
  const [owner, other] = await two();
  const run = owner.start({ dialect: 'xct', task: 'Note.', model: fromScript([done]), paused: true });
  const leaving = new AbortController();
  for await (const { kind } of other.follow(run.id, { signal: leaving.signal })) if (kind === 'task') leaving.abort();
  const none = other.follow('none')[Symbol.asyncIterator]();
  await expect(none.next()).rejects.toMatchObject({ code: 'run_absent' });
  await Promise.all([owner.close(), other.close()]);
});

test('a follower is told when the writer of its run disappears, and sees the resumed run', async () => {
  const [log, claims, sandboxes] = [emptyLog(), makeClaims(), await openSandboxes()];
  const frees: (() => void)[] = [];
  const claim: typeof claims.claim = async (...asked) => {
    const release = await claims.claim(...asked);
    if (release !== undefined) frees.push(release);
    return release;
  };
  const open = () => {
    const ports = { store: openMemoryStore(log), ...sandboxes, ...nodePorts, claim, held: claims.held };
    const kernel = makeKernel(ports, { isolation: 'node', probes: [], store: { kind: 'memory' } });
    return openClient(kernel, async () => localAuditor(forChecks), { capabilities: [NOTE] });
  };
  const [owner, other] = [await open(), await open()];
  const run = owner.start({ dialect: 'xct', task: 'Note.', model: fromScript([put('tea')]), paused: true });
  await run.step();
  const told: boolean[] = [];
  const leaving = new AbortController();
  const onWriter = (isThere: boolean) => told.push(isThere);
  const following = (async () => {
    for await (const _ of other.follow(run.id, { signal: leaving.signal, onWriter }));
  })();
  await expect.poll(() => told).toEqual([true]);
  // The browser frees the locks of a tab that ends.
  for (const free of frees) free();
  await expect.poll(() => told, { timeout: 10_000 }).toEqual([true, false]);
  expect((await other.runs())[0]).not.toHaveProperty('elsewhere');
  const again = await other.resume(run.id, fromScript([done]), { takeOver: true });
  await again.run();
  await following;
  expect(await again.result).toMatchObject({ state: 'completed' });
  leaving.abort();
  await sandboxes.sandbox.close();
});

test('a run stays with its writer when the model of the taker is refused or the asked run is unknown', async () => {
  const [owner, other] = await two();
  const run = owner.start({ dialect: 'xct', task: 'Note.', model: fromScript([put('tea'), done]), paused: true });
  await run.step();
  const away = { ...fromScript([done]), locality: { kind: 'remote', origin: 'https://models.example' } } as const;
  const taking = other.resume(run.id, away, { takeOver: true });
  await expect(taking).rejects.toMatchObject({ code: 'model_elsewhere' });
  await expect(other.resume('none', fromScript([done]), { takeOver: true })).rejects.toMatchObject({
    code: 'run_absent',
  });
  expect(run.view).not.toHaveProperty('taken');
  await run.run();
  expect(await run.result).toMatchObject({ state: 'completed' });
  await Promise.all([owner.close(), other.close()]);
});

/** Model that gives no answer until its signal aborts. */
const silent: ModelPort = {
  id: 'silent',
  locality: { kind: 'local' },
  propose: (_, { signal }) =>
    new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(new Error('given up')))),
};

test.each([
  ['between two steps', 'allow', fromScript([put('tea')]), 'step', 'IDLE'],
  ['while it waits for a person', 'ask', fromScript([put('tea')]), 'step', 'AWAITING_APPROVAL'],
  ['while it waits for its model', 'allow', silent, 'run', 'INPUT_RECEIVED'],
] as const)(
  'a run is taken over %s, goes on in the second runtime, and its first handle writes no more',
  async (_, mode, model, drive, phase) => {
    const [owner, other] = await two(mode);
    const run = owner.start({ dialect: 'xct', task: 'Note.', model, paused: true });
    // `run()` resolves when the run is taken over.
    const driven = run[drive]();
    if (drive === 'step') await driven;
    await expect.poll(() => run.view.phase).toBe(phase);
    await expect(other.resume(run.id, fromScript([done]))).rejects.toMatchObject({ code: 'run_open' });

    const unheard = phase === 'IDLE' ? undefined : expect(run.say('more')).rejects.toMatchObject({ code: 'run_open' });
    const taken = await other.resume(run.id, fromScript([done]), { takeOver: true });
    expect(run.view.taken).toBe(true);
    await unheard;
    await driven;
    await expect(run.result).rejects.toMatchObject({ code: 'run_open' });
    await expect(run.step()).rejects.toMatchObject({ code: 'run_open' });
    await expect(run.answer('', { approved: true })).rejects.toMatchObject({ code: 'run_open' });
    await expect.poll(() => taken.view.phase).toBe(mode === 'ask' ? phase : 'IDLE');
    if (taken.view.pending) await taken.answer(taken.view.pending.digest, { approved: true });
    await taken.run();
    expect(await taken.result).toMatchObject({ state: 'completed' });
    const report = await other.ledger.check(await other.ledger.export(taken.id), { replay: true });
    expect(report.checks.filter(({ id, status }) => id !== 'anchor' && status !== 'pass')).toEqual([]);
    await Promise.all([owner.close(), other.close()]);
  },
);

test('a step under way ends in its receipt before its run is handed over', async () => {
  const [owner, other] = await two();
  const run = owner.start({
    dialect: 'xct',
    task: 'Note.',
    model: fromScript([put('tea'), put('salt')]),
    paused: true,
  });
  const running = run.run();
  await expect.poll(() => run.view.phase).not.toBe('IDLE');
  const taken = await other.resume(run.id, fromScript([done]), { takeOver: true });
  await running.catch(() => undefined);
  await taken.run();
  await taken.result;
  const records = await other.ledger.records(run.id);
  const receipts = records.flatMap((record) => (record.kind === 'receipt' ? [record.body.evidence.reason?.code] : []));
  expect(receipts).not.toContain('interrupted');
  expect((await other.ledger.verify(run.id)).ok).toBe(true);
  await Promise.all([owner.close(), other.close()]);
});

test('waiting to take over a busy run ends at its signal, and a sealed run is not taken over', async () => {
  const [owner, other] = await two();
  const run = owner.start({ dialect: 'xct', task: 'Spin.', model: fromScript([spin]), paused: true });
  const running = run.run();
  await expect.poll(() => run.view.phase).toBe('CAPABILITY_EXECUTING');
  const waiting = new AbortController();
  const asked = other.resume(run.id, fromScript([done]), { takeOver: true, signal: waiting.signal });
  waiting.abort(new Error('enough'));
  await expect(asked).rejects.toThrow('enough');
  await run.abort();
  await running;
  expect(await run.result).toMatchObject({ state: 'aborted' });
  const late = other.resume(run.id, fromScript([done]), { takeOver: true });
  await expect(late).rejects.toMatchObject({ code: 'run_sealed' });
  await Promise.all([owner.close(), other.close()]);
});

test('a second runtime may delete a run that ended for good, and the first handle still answers', async () => {
  const [owner, other] = await two();
  const model = fromScript([put('tea'), done]);
  const run = owner.start({ dialect: 'xct', task: 'Note.', model, paused: true });
  await run.step();
  await expect(other.ledger.delete(run.id)).rejects.toMatchObject({ code: 'run_open' });
  await run.abort();
  await run.result;
  expect((await other.runs())[0]).not.toHaveProperty('elsewhere');
  await expect(owner.resume(run.id, model)).rejects.toMatchObject({ code: 'run_sealed' });
  await expect(run.say('more')).rejects.toMatchObject({ code: 'run_sealed' });
  await other.ledger.delete(run.id);
  expect(await other.runs()).toEqual([]);

  // A completed turn waits for a further one at its writer: a deletion takes the run over.
  const next = owner.start({ dialect: 'xct', task: 'Nothing.', model: fromScript([done, put('tea'), done]) });
  await next.result;
  await other.ledger.delete(next.id);
  expect(await other.runs()).toEqual([]);
  await expect(next.say('Note.')).rejects.toMatchObject({ code: 'run_absent' });
  await Promise.all([owner.close(), other.close()]);
});
