import { describe, expect, test } from 'vitest';
import { extend, headAfter, NO_RECORDS } from '../../../core/ledger/chain.ts';
import type { PeerMessage } from '../../store/peer-channel.ts';
import { readRecords } from '../../store/read-run.ts';
import type { LeaseTimes, SharedStore } from '../../store/shared-store.ts';
import type { Append, Batch } from '../../store/store.ts';
import { payload, runId, sampleRun } from './sample.ts';
import { valueOf } from './store-place.ts';

/** A row of the content or of kept values. */
const row = (table: 'files' | 'kept', value: string) => [{ table, key: 'a', value }];

/** The batch as an erasure leaves it. */
const erased = (batch: Batch): Batch => ({ ...batch, payloads: [] });

/**
 * Tests of leases that every store of several processes passes.
 *
 * @experimental
 */
export function leaseSuite(name: string, newPlace: () => Promise<LeasePlace>): void {
  describe(`the leases of the store ${name}`, () => {
    test('a run has a single holder among all stores, and is free when it is released or its store is closed', async () => {
      const [store, other] = await two(await newPlace());
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
      const [store, other] = await two(await newPlace());
      const claims = [store, other, store, other, store].map((each) => each.claim(RUN));
      expect((await Promise.all(claims)).filter((release) => release !== undefined)).toHaveLength(1);
      await closed(store, other);
    });

    test('a wait for a run ends without it when its signal aborts', async () => {
      const [store, other] = await two(await newPlace());
      await store.claim(RUN);
      const abort = new AbortController();
      const waiting = other.claim(RUN, abort.signal);
      abort.abort();
      expect(await waiting).toBeUndefined();
      expect(await other.claim(runId(2), abort.signal)).toBeUndefined();
      await closed(store, other);
    });

    test('a holder renews its lease', async () => {
      const place = await newPlace();
      const store = await place.open({ ...LASTING, renewMs: 20 });
      await store.claim(RUN);
      const before = await place.expires(RUN);
      await expect.poll(() => place.expires(RUN)).toBeGreaterThan(before);
      await store.close();
    });

    test('a holder that was paused cannot append behind the store that took its run', async () => {
      const [paused, other] = await two(await newPlace(), PAUSED);
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
      const [paused, other] = await two(await newPlace(), PAUSED);
      const lost = await paused.claim(RUN);
      await expect.poll(() => other.claim(RUN)).toBeDefined();
      lost?.();
      expect(await other.held()).toEqual(new Set([RUN]));
      valueOf(await other.append(first(), 'strict'));
      await closed(paused, other);
    });

    test('a holder that was paused goes on where no store took its run', async () => {
      const [paused, other] = await two(await newPlace(), PAUSED);
      await paused.claim(RUN);
      await new Promise((later) => setTimeout(later, 80));
      valueOf(await paused.append(first(), 'strict'));
      await closed(paused, other);
    });

    test('a store without a claim cannot append to a run that another store holds', async () => {
      const [store, other] = await two(await newPlace());
      await store.claim(RUN);
      expect(await other.append(first(), 'strict')).toMatchObject({ ok: false, refusal: { code: 'run_open' } });
      valueOf(await other.append(first(2), 'strict'));
      await closed(store, other);
    });

    test('a holder that was paused cannot erase behind the store that took its run, nor can a store without a claim', async () => {
      const [paused, other] = await two(await newPlace(), PAUSED);
      await paused.claim(RUN);
      valueOf(await paused.append(first(), 'strict'));
      await expect.poll(() => other.claim(RUN)).toBeDefined();
      const batches = valueOf(await other.read(RUN));
      const refused = { ok: false, refusal: { code: 'run_open', details: { run_id: RUN } } };
      expect(await paused.replace(batches.map(erased))).toMatchObject(refused);
      expect(valueOf(await other.read(RUN))).toEqual(batches);
      valueOf(await other.replace(batches.map(erased)));
      expect(valueOf(await paused.read(RUN))).toEqual(batches.map(erased));
      await closed(paused, other);
    });

    test('the content has a single holder, and a paused holder cannot change it behind the next', async () => {
      const [paused, other] = await two(await newPlace(), PAUSED);
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
      const [store, other] = await two(await newPlace(), { ...LASTING, leaseMs: 100, renewMs: 400 });
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
  });
}

/** A log that several stores open, with the times of each store's leases. */
export interface LeasePlace {
  /** Opens the log as another process. Without times its leases outlast the test. */
  open(times?: LeaseTimes): Promise<SharedStore>;
  /** End of the lease of a run, in ms. */
  expires(run_id: string): Promise<number>;
}

/** Leases that outlast a test on a busy machine. */
export const LASTING: LeaseTimes = { leaseMs: 600_000, renewMs: 200_000, askMs: 20 };

/** Leases that end within a test, and are renewed before. */
export const SHORT: LeaseTimes = { leaseMs: 1_000, renewMs: 100, askMs: 20 };

/** As a store whose process is paused: it renews no lease, and does not know it. */
export const PAUSED: LeaseTimes = { ...LASTING, leaseMs: 50, renewMs: 1e6 };

export const RUN: string = runId(1);

/** First append of a run. */
export function first(run = 1): Append {
  const { run_id, batches } = sampleRun(run, 1, false);
  return { run_id, ...(batches[0] as (typeof batches)[0]) };
}

/** Append of a record behind another append. */
export function behind({ run_id, records }: Append): Append {
  const last = records.at(-1);
  const expected = last === undefined ? NO_RECORDS : headAfter(last.record);
  const reason = { sha256: payload('reason').sha256, bytes: 6 };
  const link = extend(expected, { kind: 'state', body: { event: 'resumed', reason } }, { run_id, epoch: 0, at: 1 });
  return { run_id, expected, records: [link], payloads: [] };
}

/** Two stores on a log. The first has leases of these times. */
export async function two(
  place: LeasePlace,
  times: LeaseTimes = LASTING,
): Promise<readonly [SharedStore, SharedStore]> {
  return [await place.open(times), await place.open()];
}

export async function closed(...stores: readonly SharedStore[]): Promise<void> {
  await Promise.all(stores.map((store) => store.close()));
}
