import { expect, test } from 'vitest';
import { extend, headAfter, NO_RECORDS } from '../../../core/ledger/chain.ts';
import { fromScript, openRuntime } from '../../../workers/node.ts';
import type { PeerMessage } from '../../../workers/store/peer-channel.ts';
import type { ClaimTimes } from '../../../workers/store/postgres/leases.ts';
import { readRecords } from '../../../workers/store/read-run.ts';
import type { SharedStore } from '../../../workers/store/shared-store.ts';
import type { Append } from '../../../workers/store/store.ts';
import { payload, runId, sampleRun } from '../../core/ledger/sample.ts';
import { LASTING } from './lease-times.ts';
import { valueOf } from './store-suite.ts';

/** A log that several stores open, with the times of each store's leases. */
export interface LeasePlace {
  open(times?: ClaimTimes): Promise<SharedStore>;
  /** End of the lease of a run, in ms. */
  expires(run_id: string): Promise<number>;
}

/** As a store whose process is paused: it renews no lease, and does not know it. */
const PAUSED: ClaimTimes = { ...LASTING, leaseMs: 50, renewMs: 1e6 };

export const RUN: string = runId(1);

/** First append of a run. */
export function first(run = 1): Append {
  const { run_id, batches } = sampleRun(run, 1, false);
  return { run_id, ...(batches[0] as (typeof batches)[0]) };
}

/** Append of a record behind another append. */
function behind({ run_id, records }: Append): Append {
  const last = records.at(-1);
  const expected = last === undefined ? NO_RECORDS : headAfter(last.record);
  const reason = { sha256: payload('reason').sha256, bytes: 6 };
  const link = extend(expected, { kind: 'state', body: { event: 'resumed', reason } }, { run_id, epoch: 0, at: 1 });
  return { run_id, expected, records: [link], payloads: [] };
}

/** A row of the content or of kept values. */
const row = (table: 'files' | 'kept', value: string) => [{ table, key: 'a', value }];

/** Two stores on a log. The first has leases of these times. */
export async function two(
  place: LeasePlace,
  times: ClaimTimes = LASTING,
): Promise<readonly [SharedStore, SharedStore]> {
  return [await place.open(times), await place.open()];
}

export async function closed(...stores: readonly SharedStore[]): Promise<void> {
  await Promise.all(stores.map((store) => store.close()));
}

/** Tests of leases that every store of several processes passes. */
export function leaseSuite(newPlace: () => LeasePlace): void {
  test('a run has a single holder among all stores, and is free when it is released or its store is closed', async () => {
    const [store, other] = await two(newPlace());
    const release = await store.claim(RUN);
    expect(release).toBeDefined();
    for (const each of [store, other]) {
      expect(await each.claim(RUN)).toBeUndefined();
      expect(await each.held()).toEqual(new Set([RUN]));
    }
    const waiting = other.claim(RUN, new AbortController().signal);
    release?.();
    const second = await waiting;
    expect(second).toBeDefined();
    release?.();
    expect(await store.claim(RUN)).toBeUndefined();
    await other.close();
    expect(await store.held()).toEqual(new Set());
    expect(await store.claim(RUN)).toBeDefined();
    await store.close();
  });

  test('of many claims at the same moment a single one is granted', async () => {
    const [store, other] = await two(newPlace());
    const claims = [store, other, store, other, store].map((each) => each.claim(RUN));
    expect((await Promise.all(claims)).filter((release) => release !== undefined)).toHaveLength(1);
    await closed(store, other);
  });

  test('a wait for a run ends without it when its signal aborts', async () => {
    const [store, other] = await two(newPlace());
    await store.claim(RUN);
    const abort = new AbortController();
    const waiting = other.claim(RUN, abort.signal);
    abort.abort();
    expect(await waiting).toBeUndefined();
    expect(await other.claim(runId(2), abort.signal)).toBeUndefined();
    await closed(store, other);
  });

  test('a holder renews its lease', async () => {
    const place = newPlace();
    const store = await place.open({ ...LASTING, renewMs: 20 });
    await store.claim(RUN);
    const before = await place.expires(RUN);
    await expect.poll(() => place.expires(RUN)).toBeGreaterThan(before);
    await store.close();
  });

  test('a holder that was paused cannot append behind the store that took its run', async () => {
    const [paused, other] = await two(newPlace(), PAUSED);
    const release = await paused.claim(RUN);
    valueOf(await paused.append(first(), 'strict'));
    await expect.poll(() => other.claim(RUN)).toBeDefined();
    const next = behind(first());
    const refused = { ok: false, refusal: { code: 'run_open', details: { run_id: RUN } } };
    expect(await paused.append(next, 'strict')).toMatchObject(refused);
    valueOf(await other.append(next, 'strict'));
    await other.close();
    // The run is free again, and the holder of the lost lease is still refused.
    expect(await paused.append(behind(next), 'strict')).toMatchObject(refused);
    expect(valueOf(await readRecords(paused, RUN))).toHaveLength(first().records.length + 1);
    release?.();
    expect(await paused.claim(RUN)).toBeDefined();
    valueOf(await paused.append(behind(next), 'strict'));
    await paused.close();
  });

  test('the late release of a lost lease does not free the run of its next holder', async () => {
    const [paused, other] = await two(newPlace(), PAUSED);
    const lost = await paused.claim(RUN);
    await expect.poll(() => other.claim(RUN)).toBeDefined();
    lost?.();
    expect(await other.held()).toEqual(new Set([RUN]));
    valueOf(await other.append(first(), 'strict'));
    await closed(paused, other);
  });

  test('a holder that was paused goes on where no store took its run', async () => {
    const [paused, other] = await two(newPlace(), PAUSED);
    await paused.claim(RUN);
    await new Promise((later) => setTimeout(later, 80));
    valueOf(await paused.append(first(), 'strict'));
    await closed(paused, other);
  });

  test('a store without a claim cannot append to a run that another store holds', async () => {
    const [store, other] = await two(newPlace());
    await store.claim(RUN);
    expect(await other.append(first(), 'strict')).toMatchObject({ ok: false, refusal: { code: 'run_open' } });
    valueOf(await other.append(first(2), 'strict'));
    await closed(store, other);
  });

  test('the content has a single holder, and a paused holder cannot change it behind the next', async () => {
    const [paused, other] = await two(newPlace(), PAUSED);
    const release = await paused.exclusive();
    valueOf(await paused.put(row('files', 'first'), 'strict'));
    const next = await other.exclusive();
    const refused = { ok: false, refusal: { code: 'store_lost' } };
    expect(await paused.put(row('files', 'late'), 'strict')).toMatchObject(refused);
    expect(await paused.append({ ...first(), tables: row('files', 'late') }, 'strict')).toMatchObject(refused);
    valueOf(await paused.put(row('kept', 'free'), 'strict'));
    expect(valueOf(await other.get('files', 'a'))).toBe('first');
    expect(valueOf(await other.head()).size).toBe(0);
    next();
    release();
    (await paused.exclusive())();
    await closed(paused, other);
  });

  test('a store hears of the appends and requests of others, and of a run that it has lost', async () => {
    const [store, other] = await two(newPlace(), { ...LASTING, leaseMs: 100, renewMs: 400 });
    const heard: PeerMessage[] = [];
    store.peers.onMessage((message) => heard.push(message));
    const asked = { type: 'asked', run_id: RUN };
    await store.claim(RUN);
    other.peers.broadcast({ type: 'asked', run_id: RUN });
    await expect.poll(() => heard).toContainEqual(asked);
    heard.length = 0;
    valueOf(await other.append(first(2), 'relaxed'));
    other.peers.broadcast({ type: 'grown', run_id: runId(2) });
    await expect.poll(() => heard).toContainEqual({ type: 'grown', run_id: runId(2) });
    expect(heard).not.toContainEqual(asked);
    // The lease ends before its renewal.
    await expect.poll(() => other.claim(RUN)).toBeDefined();
    await expect.poll(() => heard).toContainEqual(asked);
    await closed(store, other);
  });

  test('a runtime follows a run of another runtime, and takes it over', async () => {
    const [store, second] = await two(newPlace());
    const [runtime, other] = [await openRuntime({ store }), await openRuntime({ store: second })];
    const waits = { ...fromScript([]), propose: () => new Promise<never>(() => undefined) };
    const run = runtime.start({ dialect: 'xct', task: 'Wait.', model: waits });
    await expect.poll(async () => (await other.runs())[0]?.elsewhere).toBe(true);
    const done = fromScript([{ done: true, message: 'done' }]);
    await expect(other.resume(run.id, done)).rejects.toMatchObject({ code: 'run_open' });
    const kinds: string[] = [];
    const following = (async () => {
      for await (const { kind } of other.follow(run.id)) kinds.push(kind);
    })();
    const rejected = expect(run.result).rejects.toMatchObject({ code: 'run_open' });
    const again = await other.resume(run.id, done, { takeOver: true });
    await again.run();
    expect(await again.result).toMatchObject({ state: 'completed' });
    await rejected;
    await following;
    expect(kinds.at(-1)).toBe('seal');
    expect(await runtime.ledger.verify(run.id)).toMatchObject({ ok: true });
    await Promise.all([runtime.close(), other.close()]);
  });
}
