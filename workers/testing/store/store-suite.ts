import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { hashBytes, hashText } from '../../../core/hash.ts';
import { extend, headAfter, type Link, NO_RECORDS, type RunHead } from '../../../core/ledger/chain.ts';
import type { Draft } from '../../../core/ledger/record.ts';
import { merkleRoot } from '../../../core/ledger/tree.ts';
import { readRecords } from '../../store/read-run.ts';
import type { LedgerStore } from '../../store/store.ts';
import {
  appendAll,
  expectOneLog,
  forked,
  payload,
  rowOf,
  runId,
  type SampleRun,
  sampleRun,
  textsOf,
} from './sample.ts';
import { placeOf, type StorePlace, valueOf } from './store-place.ts';

/**
 * Tests that every ledger store passes.
 *
 * @experimental
 */
export function storeSuite(name: string, newPlace: () => Promise<StorePlace>, runs: number): void {
  describe(`the ledger store ${name}`, () => {
    readSuite(newPlace);
    appendSuite(newPlace, runs);
    sealSuite(newPlace);
    modelTest(newPlace, { numRuns: runs, maxLength: 25 });
  });
}

/** Tests of appends that follow the log, and of those that do not. */
function appendSuite(newPlace: () => Promise<StorePlace>, runs: number): void {
  test('a store refuses a writer with an old head, and writes no record of it', async () => {
    const place = await newPlace();
    const [store, other] = [await place.open(), await place.open()];
    const run = sampleRun(1, 3, false);
    await appendAll(store, run, 2);
    await appendAll(other, { ...run, batches: run.batches.slice(2, 3) });
    const fork = forked(run.run_id, run.batches[2]?.expected ?? NO_RECORDS);
    for (const writer of [store, other]) {
      expect(await writer.append(fork, 'strict')).toMatchObject({
        ok: false,
        refusal: { code: 'head_moved', details: { expected: 7, found: 12 } },
      });
    }
    expect(valueOf(await readRecords(store, run.run_id))).toEqual(textsOf(run).slice(0, 12));
    await Promise.all([store.close(), other.close()]);
  });

  test('a store acknowledges a repeated append that is already there', async () => {
    const place = await newPlace();
    const [store, other] = [await place.open(), await place.open()];
    const run = sampleRun(1, 2, false);
    await appendAll(store, run);
    const { expected, records, payloads } = run.batches.at(-1) ?? { expected: NO_RECORDS, records: [], payloads: [] };
    for (const writer of [store, other]) {
      const again = placeOf(await writer.append({ run_id: run.run_id, expected, records, payloads }, 'relaxed'));
      expect([again.seq, again.size]).toEqual([7, 12]);
    }
    // A group whose answers were lost is repeated, and a further append follows it.
    const next = forked(run.run_id, headAfter(records.at(-1)?.record ?? (undefined as never)));
    const lost = run.batches.map((batch) => ({ run_id: run.run_id, ...batch }));
    const answers = await Promise.all([...lost, next, next].map((append) => other.append(append, 'relaxed')));
    expect(answers.map((answer) => placeOf(answer).seq)).toEqual([0, 2, 7, 12, 12]);
    expect(valueOf(await readRecords(store, run.run_id, 0))).toEqual([
      ...textsOf(run),
      ...next.records.map((link) => link.text),
    ]);
    await Promise.all([store.close(), other.close()]);
  });

  test('a store refuses a stale append of a group, and writes the rest of the group', async () => {
    const store = await (await newPlace()).open();
    const [one, two] = [sampleRun(1, 1, false), sampleRun(2, 1, false)];
    const appends = [
      ...one.batches.map((batch) => ({ run_id: one.run_id, ...batch })),
      forked(one.run_id, NO_RECORDS),
      ...two.batches.map((batch) => ({ run_id: two.run_id, ...batch })),
    ];
    const answers = await Promise.all(appends.map((append) => store.append(append, 'relaxed')));
    expect(answers.map((answer) => (answer.ok ? placeOf(answer).seq : answer.refusal.code))).toEqual([
      0,
      2,
      'head_moved',
      7,
      9,
    ]);
    await expectOneLog(store, [one.run_id, two.run_id]);
    await store.close();
  });

  test('append throws for links that are no chain, because that is a defect of the writer', async () => {
    const store = await (await newPlace()).open();
    const run = sampleRun(1, 1, false);
    const [first] = run.batches;
    const records = first?.records ?? [];
    for (const wrong of [[], records.toReversed(), records.slice(1), [...records, ...records]]) {
      const append = { run_id: run.run_id, expected: NO_RECORDS, records: wrong, payloads: [] };
      await expect(store.append(append, 'relaxed')).rejects.toThrow(/an append has a record|follows the run/);
    }
    expect(valueOf(await store.head()).size).toBe(0);
    await store.close();
  });

  test('two writers that append at the same time make a single log without a fork', async () => {
    const place = await newPlace();
    const stores = [await place.open(), await place.open()];
    const runsOf = [sampleRun(1, runs), sampleRun(2, runs)];
    await Promise.all(stores.map((store, index) => appendAll(store, runsOf[index] as SampleRun)));
    for (const store of stores) {
      await expectOneLog(
        store,
        runsOf.map((run) => run.run_id),
      );
      for (const run of runsOf) expect(valueOf(await readRecords(store, run.run_id))).toEqual(textsOf(run));
    }
    await Promise.all(stores.map((store) => store.close()));
  });

  test('a store takes appends that are not awaited in the order of their arrival', async () => {
    const store = await (await newPlace()).open();
    const run = sampleRun(1, runs);
    const done = run.batches.map(({ expected, records, payloads }) =>
      store.append({ run_id: run.run_id, expected, records, payloads }, 'strict'),
    );
    expect((await Promise.all(done)).every((one) => one.ok)).toBe(true);
    expect(valueOf(await readRecords(store, run.run_id))).toEqual(textsOf(run));
    await store.close();
  });
}

/** Tests of what a store gives back. */
function readSuite(newPlace: () => Promise<StorePlace>): void {
  test('a new store has an empty log with the root of an empty tree', async () => {
    const store = await (await newPlace()).open();
    const head = valueOf(await store.head());
    expect([head.size, hashText(head.root)]).toEqual([0, hashText(merkleRoot([]))]);
    expect(valueOf(await store.runs())).toEqual([]);
    expect(valueOf(await store.read(runId(1)))).toEqual([]);
    expect(valueOf(await store.payload(runId(1), payload('x').sha256))).toBeUndefined();
    await store.close();
  });

  test('a store gives back the hashed texts in order, from any record on', async () => {
    const store = await (await newPlace()).open();
    const run = sampleRun(1, 4);
    await appendAll(store, run);
    const texts = textsOf(run);
    for (let from = 0; from <= texts.length; from++) {
      expect(valueOf(await readRecords(store, run.run_id, from))).toEqual(texts.slice(from));
    }
    expect(valueOf(await store.read(run.run_id, 3, 2)).map((batch) => batch.run_seq)).toEqual([2, 7]);
    await store.close();
  });

  test('append returns its place, and the size and root of the whole log', async () => {
    const store = await (await newPlace()).open();
    const [one, two] = [sampleRun(1, 1), sampleRun(2, 2)];
    const leaves: Uint8Array[] = [];
    for (const run of [one, two]) {
      for (const { expected, records, payloads } of run.batches) {
        const seq = leaves.length;
        leaves.push(...records.map(({ record }) => hashBytes(record.hash)));
        const done = placeOf(await store.append({ run_id: run.run_id, expected, records, payloads }, 'relaxed'));
        expect({ ...done, root: hashText(done.root) }).toEqual({
          seq,
          size: leaves.length,
          root: hashText(merkleRoot(leaves)),
        });
      }
    }
    expect(hashText(valueOf(await store.head()).root)).toBe(hashText(merkleRoot(leaves)));
    await store.close();
  });

  test('a store keeps a payload only for the run and the records that name it', async () => {
    const store = await (await newPlace()).open();
    const run = sampleRun(1, 3);
    await appendAll(store, run);
    for (const batch of run.batches) {
      for (const { sha256, bytes } of batch.payloads) {
        expect(valueOf(await store.payload(run.run_id, sha256))).toEqual(bytes);
        expect(valueOf(await store.payload(run.run_id, sha256, batch.expected.records))).toEqual(bytes);
      }
    }
    const last = run.batches[3]?.payloads[0]?.sha256 ?? '';
    expect(valueOf(await store.payload(run.run_id, last, 0))).toBeUndefined();
    expect(valueOf(await store.payload(runId(2), last))).toBeUndefined();
    await store.close();
  });

  test('a store copies the bytes of a view, without the buffer under it and without later changes', async () => {
    const store = await (await newPlace()).open();
    const memory = new WebAssembly.Memory({ initial: 16 });
    const view = new Uint8Array(memory.buffer, 65_536, 3).fill(7);
    const run = sampleRun(1, 0, false);
    const [first] = run.batches;
    const payloads = [{ sha256: payload('\u0007\u0007\u0007').sha256, bytes: view }];
    valueOf(
      await store.append(
        { ...first, run_id: run.run_id, expected: NO_RECORDS, records: first?.records ?? [], payloads },
        'relaxed',
      ),
    );
    view.fill(9);
    const [stored] = valueOf(await store.read(run.run_id));
    expect(stored?.payloads[0]?.bytes).toEqual(Uint8Array.of(7, 7, 7));
    expect(stored?.payloads[0]?.bytes.buffer.byteLength).toBe(3);
    await store.close();
  });

  test('a reader cannot change a store through the batches that it received', async () => {
    const store = await (await newPlace()).open();
    const run = sampleRun(1, 1);
    await appendAll(store, run);
    const [batch] = valueOf(await store.read(run.run_id));
    (batch as unknown as { records: string[] }).records.length = 0;
    batch?.payloads[0]?.bytes.fill(0);
    expect(valueOf(await readRecords(store, run.run_id))).toEqual(textsOf(run));
    const { sha256, bytes } = run.batches[0]?.payloads[0] ?? payload('');
    expect(valueOf(await store.payload(run.run_id, sha256))).toEqual(bytes);
    await store.close();
  });

  test('runs lists length, head, dialect, start and seal of each run, the youngest first', async () => {
    const store = await (await newPlace()).open();
    const [one, two] = [sampleRun(1, 1, false), sampleRun(2, 1, true)];
    await appendAll(store, two);
    await appendAll(store, one);
    expect(valueOf(await store.runs())).toEqual([rowOf(one, false), rowOf(two, true)]);
    await store.close();
  });
}

/** Tests of appends behind the seal of a run. */
function sealSuite(newPlace: () => Promise<StorePlace>): void {
  test('a store refuses to go on behind a seal', async () => {
    const store = await (await newPlace()).open();
    const run = sampleRun(1, 1, true);
    await appendAll(store, run);
    const last = run.batches.at(-1)?.records.at(-1)?.record;
    const late = forked(run.run_id, last ? headAfter(last) : NO_RECORDS);
    expect(await store.append(late, 'relaxed')).toMatchObject({ ok: false, refusal: { code: 'run_sealed' } });
    await store.close();
  });

  test('a store goes on behind a seal with the next task of a person', async () => {
    const store = await (await newPlace()).open();
    const run = sampleRun(1, 1, true);
    await appendAll(store, run);
    const last = run.batches.at(-1)?.records.at(-1)?.record;
    const link = extend(
      last ? headAfter(last) : NO_RECORDS,
      { kind: 'task', body: { text: { sha256: payload('x').sha256, bytes: 1 } } },
      { run_id: run.run_id, epoch: 0, at: 1 },
    );
    const next = {
      run_id: run.run_id,
      expected: { records: link.record.run_seq, head: link.record.prev },
      records: [link],
      payloads: [],
    };
    valueOf(await store.append(next, 'relaxed'));
    expect(valueOf(await store.runs())[0]).toMatchObject({ records: link.record.run_seq + 1, sealed: false });
    await store.close();
  });

  test.each(['failed', 'aborted', 'limit'] as const)(
    'a store refuses a new task behind a seal that says %s',
    async (state) => {
      const store = await (await newPlace()).open();
      const run_id = runId(1);
      const link = (head: RunHead, draft: Draft): Link => extend(head, draft, { run_id, epoch: 0, at: 1 });
      const seal = link(NO_RECORDS, { kind: 'seal', body: { state, steps: 0 } });
      valueOf(await store.append({ run_id, expected: NO_RECORDS, records: [seal], payloads: [] }, 'relaxed'));
      const expected = headAfter(seal.record);
      const text = { sha256: payload('x').sha256, bytes: 1 };
      const task = link(expected, { kind: 'task', body: { text } });
      const late = await store.append({ run_id, expected, records: [task], payloads: [] }, 'relaxed');
      expect(late).toMatchObject({ ok: false, refusal: { code: 'run_sealed' } });
      await store.close();
    },
  );
}

/** Compares a store with a model after random appends, reopenings and crashes of two tabs. */
export function modelTest(
  newPlace: () => Promise<StorePlace>,
  { numRuns, maxLength }: { readonly numRuns: number; readonly maxLength: number },
): void {
  test('a store agrees with its model after random appends, reopenings and crashes of two tabs', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(action, { maxLength }), async (actions) => {
        const place = await newPlace();
        const tabs = [await place.open(), await place.open()];
        const model = new Map<string, Link[]>();
        for (const step of actions) await perform(step, tabs, place, model);
        for (const tab of tabs) {
          for (const [run_id, links] of model)
            expect(valueOf(await readRecords(tab, run_id))).toEqual(links.map((link) => link.text));
          await expectOneLog(
            tab,
            [...model].flatMap(([run_id, links]) => (links.length > 0 ? [run_id] : [])),
          );
          await tab.close();
        }
      }),
      { numRuns },
    );
  });
}

type Action = { readonly tab: 0 | 1 } & (
  | { readonly do: 'reopen' }
  | { readonly do: 'crash'; readonly run: number; readonly records: number; readonly afterMs: number }
  | {
      readonly do: 'append';
      readonly run: number;
      readonly records: number;
      readonly stale: boolean;
      readonly seal: boolean;
    }
);

const tab = fc.constantFrom<0 | 1>(0, 1);
const action: fc.Arbitrary<Action> = fc.oneof(
  { weight: 1, arbitrary: fc.record({ do: fc.constant('reopen' as const), tab }) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('crash' as const),
      tab,
      run: fc.integer({ min: 1, max: 3 }),
      records: fc.integer({ min: 1, max: 4 }),
      afterMs: fc.integer({ min: 0, max: 9 }),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('append' as const),
      tab,
      run: fc.integer({ min: 1, max: 3 }),
      records: fc.integer({ min: 1, max: 4 }),
      stale: fc.boolean(),
      seal: fc.integer({ min: 0, max: 9 }).map((n) => n === 0),
    }),
  },
);

async function perform(
  step: Action,
  tabs: LedgerStore[],
  place: StorePlace,
  model: Map<string, Link[]>,
): Promise<void> {
  const store = tabs[step.tab] as LedgerStore;
  if (step.do === 'reopen') {
    await store.close();
    tabs[step.tab] = await place.open();
    return;
  }
  const run_id = runId(step.run);
  const known = model.get(run_id) ?? [];
  if (step.do === 'crash') {
    const last = known.at(-1)?.record;
    const cut = forked(run_id, last === undefined ? NO_RECORDS : headAfter(last), step.records);
    void store.append(cut, 'relaxed').catch(() => undefined);
    // The append is under way. Its progress depends on the machine.
    await new Promise((resolve) => setTimeout(resolve, step.afterMs));
    await (place.crash ?? closed)(store);
    tabs[step.tab] = await place.open();
    // The append was not acknowledged. The log holds all of its records or none of them.
    const found = valueOf(await readRecords(tabs[step.tab] as LedgerStore, run_id));
    const isThere = found.length > known.length;
    model.set(run_id, isThere ? [...known, ...cut.records] : known);
    return expect(found).toEqual(model.get(run_id)?.map((link) => link.text));
  }
  // A stale writer has not seen the run's last record.
  const seen = step.stale ? known.slice(0, -1) : known;
  const last = seen.at(-1)?.record;
  const expected = last === undefined ? NO_RECORDS : headAfter(last);
  const append = { ...forked(run_id, expected, step.records, step.seal), payloads: [] };
  const done = await store.append(append, 'relaxed');
  const sealed = known.at(-1)?.record.kind === 'seal';
  const wanted = seen.length < known.length ? 'head_moved' : sealed ? 'run_sealed' : 'ok';
  expect(done.ok ? 'ok' : done.refusal.code).toBe(wanted);
  if (done.ok) model.set(run_id, [...known, ...append.records]);
}

function closed(store: LedgerStore): Promise<void> {
  return store.close();
}
