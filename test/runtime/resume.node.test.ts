import { beforeAll, describe, expect, test } from 'vitest';
import { type Code, refuse } from '../../core/errors.ts';
import type { LedgerRecord } from '../../core/ledger/record.ts';
import type { Runtime } from '../../workers/api.ts';
import { localAuditor } from '../../workers/auditor/auditor.ts';
import { fromScript } from '../../workers/bridges/models/script.ts';
import { openClient } from '../../workers/client/client.ts';
import { makeKernel } from '../../workers/kernel/kernel.ts';
import { nodePorts, openSandboxes } from '../../workers/node/platform.ts';
import type { Ports } from '../../workers/ports.ts';
import { emptyLog, type MemoryLog, openMemoryStore } from '../../workers/store/memory/store.ts';
import { makeClaims } from '../../workers/store/shared-store.ts';
import { done, NOTE, put } from './note.ts';
import { forChecks } from './shared.ts';

/** A process over a log that outlives it: the next process has only the records. */
let sandboxes: Awaited<ReturnType<typeof openSandboxes>>;
beforeAll(async () => {
  sandboxes = await openSandboxes();
});

const auditor = async () => localAuditor(forChecks);

function open(log: MemoryLog, claim = nodePorts.claim): Promise<Runtime> {
  const ports: Ports = { store: openMemoryStore(log), ...sandboxes, ...nodePorts, claim };
  return openClient(makeKernel(ports, { isolation: 'node', probes: [], store: { kind: 'memory' } }), auditor, {});
}

async function openWith(log: MemoryLog, mode: 'ask' | 'allow'): Promise<Runtime> {
  const ports: Ports = { store: openMemoryStore(log), ...sandboxes, ...nodePorts };
  const grants = [{ capability: 'note.put', mode }];
  return openClient(makeKernel(ports, { isolation: 'node', probes: [], store: { kind: 'memory' } }), auditor, {
    capabilities: [NOTE],
    grants,
  });
}

/**
 * The failed checks of the run, replay included: a replay of the records gives the same records, also after a crash.
 */
async function failures(runtime: Runtime, run_id: string): Promise<string[]> {
  const { checks } = await runtime.ledger.check(await runtime.ledger.export(run_id), { replay: true });
  return checks.flatMap(({ id, status }) => (status === 'pass' || id === 'anchor' ? [] : [id]));
}

const receipts = (records: readonly LedgerRecord[]): (Code | 'SUCCESS')[] =>
  records.flatMap((record) => (record.kind === 'receipt' ? [record.body.evidence.reason?.code ?? 'SUCCESS'] : []));

test('a question without an answer is put again by the next process, and its answer still fits', async () => {
  const log = emptyLog();
  const before = await openWith(log, 'ask');
  const run = before.start({ dialect: 'xct', task: 'Note.', model: fromScript([put('tea')]) });
  await run.step();
  const asked = run.view.pending;
  expect(asked?.args).toBe('{"text":"tea"}');

  const after = await open(log);
  const again = await after.resume(run.id, fromScript([done]));
  await expect.poll(() => again.view.pending?.digest).toBe(asked?.digest);
  expect(again.view.pending).toEqual(asked);
  await again.answer(asked?.digest ?? '', { approved: true });
  await again.run();
  expect(await again.result).toMatchObject({ state: 'completed', steps: 2 });
  const records = await after.ledger.records(run.id);
  expect(receipts(records)).toEqual(['SUCCESS', 'SUCCESS']);
  expect(await failures(after, run.id)).toEqual([]);

  // The first process still lives, with an approval that is used up: its write is refused, and no call ran twice.
  await run.answer(asked?.digest ?? '', { approved: true });
  expect(await run.result).toMatchObject({ state: 'failed', code: 'log_failed' });
  expect(await after.ledger.records(run.id)).toEqual(records);
});

test('a consent that the next process asks for is answered once, and a third process asks no more', async () => {
  const log = emptyLog();
  const model = (...items: object[]) =>
    ({ ...fromScript(items), locality: { kind: 'remote', origin: 'https://ai.example' } }) as const;
  const task = { dialect: 'xct', task: 'Mine.', labels: ['private'] } as const;
  const run = (await openWith(log, 'ask')).start({ ...task, model: model(done) });
  await expect.poll(() => run.view.consent).toBeDefined();
  const next = await open(log);
  const again = await next.resume(run.id, model(put('tea')));
  expect(again.view.consent).toEqual(run.view.consent);
  await again.answer(again.view.consent?.digest ?? '', { approved: true });
  await again.step();
  const told = (await next.ledger.records(run.id)).flatMap(({ kind, body }) => (kind === 'consent' ? [body] : []));
  expect(told.map(({ event, approved }) => [event, approved])).toEqual([
    ['asked', undefined],
    ['answered', true],
  ]);
  const third = await open(log);
  const last = await third.resume(run.id, model(done));
  await last.answer(last.view.pending?.digest ?? '', { approved: true });
  await last.run();
  expect(await last.result).toMatchObject({ state: 'completed', steps: 2 });
  expect(await failures(third, run.id)).toEqual([]);
});

test('a run is resumed once its open question can be answered, however slow the store is', async () => {
  const log = emptyLog();
  const before = await openWith(log, 'ask');
  const run = before.start({ dialect: 'xct', task: 'Note.', model: fromScript([put('tea')]) });
  await run.step();
  const { digest = '' } = run.view.pending ?? {};

  const store = openMemoryStore(log);
  const slow: Ports['store'] = {
    ...store,
    append: async (...given) => {
      await new Promise((late) => setTimeout(late, 50));
      return store.append(...given);
    },
  };
  const ports: Ports = { store: slow, ...sandboxes, ...nodePorts };
  const kernel = makeKernel(ports, { isolation: 'node', probes: [], store: { kind: 'memory' } });
  const again = await (await openClient(kernel, auditor, {})).resume(run.id, fromScript([done]));
  expect(again.view.pending?.digest).toBe(digest);
  await again.answer(digest, { approved: true });
  await again.run();
  expect(again.view.end).toMatchObject({ state: 'completed', steps: 2 });
});

test('a call that was cut off is closed as interrupted and never run again, and the run goes on', async () => {
  const log = emptyLog();
  const before = await openWith(log, 'allow');
  const run = before.start({ dialect: 'xct', task: 'Note.', model: fromScript([put('tea'), put('milk')]) });
  await run.step();
  const last = log.batches.pop();
  expect(last?.records.map((text) => (JSON.parse(text) as LedgerRecord).kind)).toEqual(['observation', 'receipt']);

  const after = await open(log);
  const again = await after.resume(run.id, fromScript([put('sugar'), done]));
  await again.run();
  expect(await again.result).toMatchObject({ state: 'completed', steps: 3 });
  const records = await after.ledger.records(run.id);
  expect(receipts(records)).toEqual(['interrupted', 'SUCCESS', 'SUCCESS']);
  expect(records.filter(({ kind }) => kind === 'intent')).toHaveLength(2);
  expect(await failures(after, run.id)).toEqual([]);
});

test('a resumed run sends its model the same messages that the first process would have sent', async () => {
  const heard: string[] = [];
  const listening = (items: object[]) => {
    const script = fromScript(items);
    let left = items.length;
    const model: typeof script = {
      ...script,
      propose: (request, io) => {
        // A model without a further answer never returns.
        if (left-- === 0) return new Promise(() => undefined);
        heard.push(JSON.stringify(request.messages));
        return script.propose(request, io);
      },
    };
    return model;
  };
  const whole = await openWith(emptyLog(), 'allow');
  const nonsense = 'n'.repeat(70_000); // This text pushes all messages but the task out of the context.
  const early = { done: true, message: 'early' };
  const model = listening([early, put('tea'), early, { nonsense }, done]);
  const one = whole.start({ dialect: 'xct', task: 'Note.', model });
  await one.result;
  await one.say('Do it.');
  await one.result;
  await one.say('And now?');
  await one.result;
  const expected = heard.splice(0);
  expect(expected[2]).toContain('early');
  expect(expected.at(-1)).toContain('"And now?"');

  const log = emptyLog();
  const first = (await openWith(log, 'allow')).start({
    dialect: 'xct',
    task: 'Note.',
    model: listening([early]),
  });
  await first.result;
  // The second process resumes behind a completed turn, the third within the turn that follows.
  const second = await (await open(log)).resume(first.id, listening([put('tea'), early]));
  await second.say('Do it.');
  await second.result;
  const third = await (await open(log)).resume(first.id, listening([{ nonsense }]));
  await third.say('And now?');
  await expect.poll(() => [third.view.phase, third.view.steps]).toEqual(['INPUT_RECEIVED', 4]);
  const last = await (await open(log)).resume(first.id, listening([done]));
  await last.run();
  await last.result;
  expect(heard).toEqual(expected);
});

test('a run that has completed its turn is resumed for the next turn, and its view gives the end of the last', async () => {
  const log = emptyLog();
  const before = await openWith(log, 'allow');
  const run = before.start({ dialect: 'xct', task: 'Note.', model: fromScript([put('tea'), done]) });
  const ended = await run.result;
  const after = await open(log);
  const again = await after.resume(run.id, fromScript([put('milk'), done]));
  expect([again.view.phase, await again.result]).toEqual(['COMPLETED', ended]);
  const records = await after.ledger.records(run.id);
  await again.run();
  expect(await after.ledger.records(run.id)).toEqual(records);
  await again.say('And milk.');
  expect(await again.result).toMatchObject({ state: 'completed', steps: 4 });
  expect(
    (await after.ledger.records(run.id))
      .slice(records.length)
      .map(({ kind }) => kind)
      .slice(0, 2),
  ).toEqual(['task', 'proposal']);
  expect(await failures(after, run.id)).toEqual([]);
});

test('a run that has failed is not resumed', async () => {
  const log = emptyLog();
  const before = await openWith(log, 'allow');
  const run = before.start({ dialect: 'xct', task: 'Note.', model: fromScript([put('tea')]) });
  expect(await run.result).toMatchObject({ state: 'failed', code: 'model_exhausted' });
  await expect((await open(log)).resume(run.id, fromScript([done]))).rejects.toMatchObject({ code: 'run_sealed' });
});

test('a run that was begun on this device is not resumed with a remote model', async () => {
  const log = emptyLog();
  const run = (await openWith(log, 'allow')).start({ dialect: 'xct', task: 'Note.', model: fromScript([put('tea')]) });
  await run.step();
  const away = { ...fromScript([done]), locality: { kind: 'remote', origin: 'https://models.example' } } as const;
  await expect((await open(log)).resume(run.id, away)).rejects.toMatchObject({ code: 'model_elsewhere' });
  const { locality: _, ...unsaid } = fromScript([done]);
  await expect((await open(log)).resume(run.id, unsaid)).rejects.toMatchObject({ code: 'model_elsewhere' });
});

test('a run that was refused to a remote model can be resumed with a local model, since its claim is not lost', async () => {
  const log = emptyLog();
  const run = (await openWith(log, 'allow')).start({ dialect: 'xct', task: 'Note.', model: fromScript([put('tea')]) });
  await run.step();
  // Like the locks of an origin: a held claim is not given again, not even to its holder.
  const runtime = await open(log, makeClaims().claim);
  const { locality: _, ...unsaid } = fromScript([done]);
  await expect(runtime.resume(run.id, unsaid)).rejects.toMatchObject({ code: 'model_elsewhere' });
  const again = await runtime.resume(run.id, fromScript([done]));
  await again.run();
  expect(await again.result).toMatchObject({ state: 'completed' });
});

test('a grant keeps its constraint when its run is resumed by a process without its definitions', async () => {
  const log = emptyLog();
  const ports: Ports = { store: openMemoryStore(log), ...sandboxes, ...nodePorts };
  const grants = [{ capability: 'note.put', mode: 'ask', where: { properties: { text: { maxLength: 4 } } } }] as const;
  const before = await openClient(
    makeKernel(ports, { isolation: 'node', probes: [], store: { kind: 'memory' } }),
    auditor,
    {
      capabilities: [NOTE],
      grants,
    },
  );
  const run = before.start({ dialect: 'xct', task: 'Note.', model: fromScript([put('tea')]) });
  await run.step();

  const other = await openSandboxes();
  const next: Ports = { store: openMemoryStore(log), ...other, ...nodePorts };
  const after = await openClient(
    makeKernel(next, { isolation: 'node', probes: [], store: { kind: 'memory' } }),
    auditor,
    {},
  );
  const again = await after.resume(run.id, fromScript([put('sugar'), done]));
  await expect.poll(() => again.view.pending?.args).toBe('{"text":"tea"}');
  await again.answer(again.view.pending?.digest ?? '', { approved: true });
  await again.run();
  await again.result;
  expect(receipts(await after.ledger.records(run.id))).toEqual(['SUCCESS', 'grant_constraint', 'SUCCESS']);
  expect(await failures(after, run.id)).toEqual([]);
  await after.close();
});

describe('a store that was changed between two processes', () => {
  const utf8 = new TextEncoder();
  type Batches = MemoryLog['batches'];
  /** Changes the JSON text of each record and the text of each payload. */
  function rewrite(batches: Batches, change: (text: string, of: 'record' | 'payload') => string): void {
    batches.forEach((batch, nth) => {
      const records = batch.records.map((text) => change(text, 'record'));
      const payloads = batch.payloads.map(({ sha256, bytes }) => {
        const text = new TextDecoder().decode(bytes);
        const changed = change(text, 'payload');
        return { sha256, bytes: changed === text ? bytes : utf8.encode(changed) };
      });
      batches[nth] = { ...batch, records, payloads };
    });
  }

  test.each<[string, string, (batches: Batches) => void]>([
    [
      'arguments that nobody was asked about',
      'payload_missing',
      (batches) => rewrite(batches, (text, of) => (of === 'payload' ? text.replace('"tea"', '"ink"') : text)),
    ],
    [
      'a permission instead of a question',
      'payload_missing',
      (batches) => rewrite(batches, (text, of) => (of === 'payload' ? text.replace('"ask"', '"allow"') : text)),
    ],
    [
      'another definition of what was granted',
      'payload_missing',
      (batches) => rewrite(batches, (text, of) => (of === 'payload' ? text.replace('kept: text', 'kept: 1') : text)),
    ],
    [
      'a digest of another question',
      'facts_altered',
      (batches) => rewrite(batches, (text) => text.replace(/"digest":"[0-9a-f]{8}/, '"digest":"00000000')),
    ],
    [
      'a model elsewhere as if it were here',
      'facts_altered',
      (batches) => rewrite(batches, (text) => text.replace(/"at":\d+/, '"at":1')),
    ],
    [
      'a record less in the middle',
      'facts_altered',
      (batches) => {
        const at = batches.findIndex(({ records }) => records.length > 2);
        const batch = batches[at];
        if (batch) batches[at] = { ...batch, records: batch.records.filter((_, nth) => nth !== 1) };
      },
    ],
    [
      'no JSON',
      'record_malformed',
      (batches) => rewrite(batches, (text, of) => (of === 'record' ? text.slice(1) : text)),
    ],
  ])('a run is not resumed from a store with %s', async (_what, code, tamper) => {
    const log = emptyLog();
    const before = await openWith(log, 'ask');
    const run = before.start({ dialect: 'xct', task: 'Note.', model: fromScript([put('tea')]) });
    await run.step();
    tamper(log.batches);
    await expect((await open(log)).resume(run.id, fromScript([done]))).rejects.toMatchObject({ code });
  });

  test('damaged records verify as damaged, export unchanged, and can be deleted', async () => {
    const log = emptyLog();
    const runtime = await openWith(log, 'allow');
    const run = runtime.start({ dialect: 'xct', task: 'Note.', model: fromScript([put('tea'), done]) });
    await run.result;
    rewrite(log.batches, (text, of) => (of === 'record' ? text.replace('"kind":"verdict"', '"kind":"verdict') : text));
    const report = await runtime.ledger.verify(run.id);
    expect(report.checks.find(({ status }) => status === 'fail')?.id).toBe('form');
    // Damaged records do not say which steps are secret, so that the export has no payloads.
    expect(await runtime.ledger.export(run.id)).not.toContain('\n{"payload":');
    await expect(runtime.ledger.records(run.id)).rejects.toMatchObject({ code: 'record_malformed' });
    const other = await open(log);
    await other.ledger.delete(run.id);
    expect(await other.runs()).toEqual([]);
    await expect(other.ledger.delete('system')).rejects.toMatchObject({ code: 'run_open' });
  });
});

test('a run that stopped on a full store is resumed at its last record when the store has room', async () => {
  const store = openMemoryStore(emptyLog());
  let isFull = false;
  const append: typeof store.append = async (...asked) => (isFull ? refuse('store_full', {}) : store.append(...asked));
  const kernel = makeKernel(
    { store: { ...store, append }, ...sandboxes, ...nodePorts },
    { isolation: 'node', probes: [], store: { kind: 'memory' } },
  );
  const grants = [{ capability: 'note.put', mode: 'allow' }] as const;
  const runtime = await openClient(kernel, auditor, { capabilities: [NOTE], grants });
  const run = runtime.start({
    dialect: 'xct',
    task: 'Note.',
    model: fromScript([put('tea'), put('milk')]),
    paused: true,
  });
  await run.step();
  isFull = true;
  await run.step();
  expect(await run.result).toMatchObject({ state: 'failed', code: 'log_failed' });
  const recorded = await runtime.ledger.records(run.id);
  isFull = false;
  const again = await runtime.resume(run.id, fromScript([put('salt'), done]));
  await again.run();
  expect(await again.result).toMatchObject({ state: 'completed' });
  const records = await runtime.ledger.records(run.id);
  expect(records.slice(0, recorded.length)).toEqual(recorded);
  expect(receipts(records)).toEqual(['SUCCESS', 'SUCCESS', 'SUCCESS']);
  expect(await failures(runtime, run.id)).toEqual([]);
});
