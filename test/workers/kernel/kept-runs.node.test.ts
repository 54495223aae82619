import { expect, test } from 'vitest';
import { extend, headAfter, NO_RECORDS, type RunHead } from '../../../core/ledger/chain.ts';
import { type Outcome, pass } from '../../../core/outcome.ts';
import type { RunRow } from '../../../workers/api.ts';
import { type Deferred, deferred, pause } from '../../../workers/async.ts';
import { KeptRuns, makeRetention } from '../../../workers/kernel/retention.ts';
import { openMemoryStore } from '../../../workers/store/memory/store.ts';
import type { Append, Batch, LedgerStore } from '../../../workers/store/store.ts';
import { events, payload, runId } from '../../../workers/testing/store/sample.ts';
import { valueOf } from '../store/store-suite.ts';

const DAY = 24 * 60 * 60 * 1000;
const LONG_AGO = Date.now() - 200 * DAY;
const refusedFor = (run_id: string) => ({ ok: false, refusal: { code: 'run_kept', details: { run_id } } });

/** A record of a run at this time. */
function record(run: number, at: number, expected: RunHead = NO_RECORDS): Append {
  const run_id = runId(run);
  const reason = { sha256: payload('reason').sha256, bytes: 6 };
  const link = extend(expected, { kind: 'state', body: { event: 'resumed', reason } }, { run_id, epoch: 0, at });
  return { run_id, expected, records: [link], payloads: [] };
}

/** The next record behind an append. */
function behind({ run_id, records }: Append, at: number): Append {
  return record(Number.parseInt(run_id.slice(0, 8), 16), at, headAfter((records[0] as Append['records'][0]).record));
}

/** A log with a run of long ago, of which runs are kept for 183 days. `slow`: the answers of one of its methods wait. */
async function withOldRun(slow?: { readonly method: 'snapshot' | 'append'; readonly until: Deferred<void> }) {
  const store: LedgerStore = openMemoryStore();
  const old = record(1, LONG_AGO);
  valueOf(await store.append(old, 'strict'));
  const wait = async <T>(method: string, answer: Promise<T>): Promise<T> => {
    if (method === slow?.method) await slow.until.promise;
    return answer;
  };
  const kept = new KeptRuns({
    read: (...given) => store.read(...given),
    snapshot: () => wait('snapshot', store.snapshot()),
    append: (...given) => wait('append', store.append(...given)),
  });
  kept.keep({ keepAtLeast: { days: 183 } });
  return { store, old, kept };
}

const ran = async (): Promise<Outcome<string>> => pass('acted');

test('a log whose runs are all old may be deleted, and its writers go on behind the beginning of the act', async () => {
  const { kept } = await withOldRun();
  const order: string[] = [];
  const acting = kept.unlessAny(async () => {
    order.push('begun');
    return ran();
  });
  await acting;
  valueOf(await kept.append(record(2, Date.now()), 'strict').finally(() => order.push('written')));
  expect(order).toEqual(['begun', 'written']);
});

test('a run that is written while all runs are looked at is kept, and its record is written behind the look', async () => {
  const until = deferred<void>();
  const { store, kept } = await withOldRun({ method: 'snapshot', until });
  let isActing = false;
  const acting = kept.unlessAny(async () => {
    isActing = true;
    return ran();
  });
  await pause();
  const writing = kept.append(record(2, Date.now()), 'strict');
  await pause();
  expect(valueOf(await store.runs())).toHaveLength(1);
  until.resolve();
  expect(await acting).toMatchObject(refusedFor(runId(2)));
  expect(isActing).toBe(false);
  valueOf(await writing);
  expect(valueOf(await store.runs())).toHaveLength(2);
});

test('a record that is under way when the look begins counts', async () => {
  const until = deferred<void>();
  const { kept } = await withOldRun({ method: 'append', until });
  const writing = kept.append(record(2, Date.now()), 'strict');
  const acting = kept.unlessAny(ran);
  await pause();
  until.resolve();
  expect(await acting).toMatchObject(refusedFor(runId(2)));
  valueOf(await writing);
});

test('two looks at the same time end, and the writers go on', async () => {
  const { kept } = await withOldRun();
  const acts = [kept.unlessAny(ran), kept.unlessAny(ran)];
  const writing = kept.append(record(2, Date.now()), 'strict');
  expect(await Promise.all(acts)).toMatchObject([refusedFor(runId(2)), refusedFor(runId(2))]);
  valueOf(await writing);
});

test('a run that another kernel has written before this one became its only writer is kept', async () => {
  const { store, old, kept } = await withOldRun();
  const retention = makeRetention(
    { store },
    async (_, act) => {
      valueOf(await store.append(behind(old, Date.now()), 'strict'));
      return act();
    },
    kept,
  );
  expect(await retention.remove(old.run_id)).toMatchObject(refusedFor(old.run_id));
  expect(valueOf(await store.runs())).toMatchObject([{ run_id: old.run_id, records: 2 }]);
  expect(await events(store)).toEqual([]);
});

test('the record of a deletion names the end of the run, also where it grew before its deletion', async () => {
  const { store, old } = await withOldRun();
  const last = behind(old, Date.now());
  const retention = makeRetention({ store }, async (_, act) => {
    valueOf(await store.append(last, 'strict'));
    return act();
  });
  valueOf(await retention.remove(old.run_id));
  const head = last.records[0]?.record.hash;
  expect(await events(store)).toEqual([{ event: 'deleted', run: old.run_id, records: 2, head }]);
});

test.each([
  ['kept by its row', Date.now(), false],
  ['deleted when its row is old', LONG_AGO, true],
])('a run whose last record another program has made unreadable is %s', async (_, at, may) => {
  const { store, old } = await withOldRun();
  const [row] = valueOf(await store.runs());
  const [batch] = valueOf(await store.read(old.run_id));
  const altered = { ...batch, records: ['{'] } as Batch;
  const read = async () => pass([altered]);
  const snapshot = async () => pass({ ...valueOf(await store.snapshot()), runs: [{ ...row, at } as RunRow] });
  const there = new KeptRuns({ ...store, read, snapshot });
  there.keep({ keepAtLeast: { days: 183 } });
  expect(await there.unlessAny(ran)).toMatchObject(may ? pass('acted') : refusedFor(old.run_id));
});

test('a kernel without the option looks at no run, and holds no record up', async () => {
  const { kept } = await withOldRun({ method: 'snapshot', until: deferred() });
  kept.keep({});
  valueOf(await kept.append(record(2, Date.now()), 'strict'));
  expect(await kept.unlessAny(ran)).toEqual(pass('acted'));
});
