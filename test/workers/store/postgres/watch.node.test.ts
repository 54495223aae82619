import { describe, expect, test } from 'vitest';
import type { PeerMessage } from '../../../../workers/store/peer-channel.ts';
import { PgHints } from '../../../../workers/store/postgres/watch.ts';
import type { SharedStore } from '../../../../workers/store/shared-store.ts';
import { closed, first, RUN } from '../../../../workers/testing/store/lease-suite.ts';
import { runId } from '../../../core/ledger/sample.ts';
import { valueOf } from '../store-suite.ts';
import { ABSENT, HAS_SERVER, IS_POOLED, newLog, newPool, open } from './place.ts';

/** Later than the end of each test. */
const NEVER = 1e6;

const asked: PeerMessage = { type: 'asked', run_id: RUN };
const grown: PeerMessage = { type: 'grown', run_id: runId(2) };

/** Messages that a store has heard. */
function heardBy(store: SharedStore): readonly PeerMessage[] {
  const heard: PeerMessage[] = [];
  store.peers.onMessage((message) => heard.push(message));
  return heard;
}

if (!HAS_SERVER) test.skip(ABSENT, () => undefined);
else
  describe('what a store in PostgreSQL hears of others', () => {
    // behind a proxy that pools transactions no hint arrives
    if (!IS_POOLED)
      test('appends and requests of others are heard by hints, without a look at intervals', async () => {
        const [own, log] = [newPool(), newLog()];
        const store = await open({ pool: own, log, looks: { hintedMs: NEVER, blindMs: NEVER } });
        const other = await open({ pool: newPool(), log });
        const heard = heardBy(store);
        await expect.poll(() => PgHints.over(own).isHeard).toBe(true);
        await store.claim(RUN);
        other.peers.broadcast(asked);
        await expect.poll(() => heard).toContainEqual(asked);
        valueOf(await other.append(first(2), 'relaxed'));
        expect(heard).not.toContainEqual(grown);
        other.peers.broadcast(grown);
        await expect.poll(() => heard).toContainEqual(grown);
        await closed(store, other);
      });

    test('appends and requests of others are heard by looks at intervals, without a hint', async () => {
      const log = newLog();
      // a single connection is no listener
      const store = await open({ pool: newPool({ max: 1 }), log, looks: { hintedMs: NEVER, blindMs: 50 } });
      const other = await open({ pool: newPool(), log });
      const heard = heardBy(store);
      await store.claim(RUN);
      other.peers.broadcast(asked);
      await expect.poll(() => heard).toContainEqual(asked);
      // the store of this append tells nobody of it
      valueOf(await other.append(first(2), 'relaxed'));
      await expect.poll(() => heard).toContainEqual(grown);
      await closed(store, other);
    });
  });
