import { expect, test } from 'vitest';
import { parseCheckpoint } from '../../../core/ledger/checkpoint.ts';
import { parseExport } from '../../../core/ledger/export.ts';
import type { LogBody } from '../../../core/ledger/kinds/log.ts';
import { verifyExport } from '../../../core/ledger/verify.ts';
import { takeCheckpoint } from '../../auditor/checkpoint.ts';
import { fsck } from '../../auditor/fsck.ts';
import { readRecords } from '../../store/read-run.ts';
import type { LedgerStore } from '../../store/store.ts';
import { recordInLog } from '../../store/system-log.ts';
import { events, filled, kept, other, over, sizeAndRoot } from './retention-sample.ts';
import { sampleRun } from './sample.ts';
import { type StorePlace, valueOf } from './store-place.ts';

/** The same store, with a further run that grows by a batch after each answer. */
function growing(store: LedgerStore): LedgerStore {
  const { run_id, batches } = sampleRun(4, 12);
  const left = [...batches];
  const grow = async (): Promise<void> => {
    const batch = left.shift();
    if (batch !== undefined) valueOf(await store.append({ run_id, ...batch }, 'relaxed'));
  };
  const asked = new Set<string | symbol>(['runs', 'head', 'standing', 'read', 'log']);
  return new Proxy(store, {
    get: (_, name) => {
      const ask = store[name as 'runs'];
      if (!asked.has(name)) return ask;
      return async (...given: []) => {
        const said = await ask(...given);
        await grow();
        return said;
      };
    },
  });
}

/** Tests of archives, and of reads of a log that grows meanwhile. */
export function archiveSuite(name: string, newPlace: () => Promise<StorePlace>): void {
  test(`${name}: the archive of a run verifies, the log records its hash, and the run stays until it is deleted`, async () => {
    const store = await filled(await newPlace());
    const { jsonl, sha256 } = valueOf(await over(store).archive(kept.run_id));
    expect(verifyExport(jsonl)).toMatchObject({ ok: true, records: 13 });
    expect(parseExport(jsonl).payloads.size).toBeGreaterThan(5);
    expect(await events(store)).toEqual([
      { event: 'archived', run: kept.run_id, records: 13, head: expect.any(String), file: sha256 },
    ]);
    expect(valueOf(await readRecords(store, kept.run_id))).toHaveLength(13);
    // The system log is a run too. It can be archived, and it goes on afterwards.
    const log = valueOf(await over(store).archive('system'));
    expect(verifyExport(log.jsonl)).toMatchObject({ ok: true, records: 1 });
    expect(valueOf(await fsck(store))).toMatchObject({ ok: true, problems: [] });
    const [archived] = await events(store);
    for (const lie of [{ event: 'deleted', head: sha256 }, { records: 12 }, { run: other.run_id }]) {
      const { file, ...told } = { ...archived, ...lie } as Extract<LogBody, { event: 'archived' }>;
      valueOf(await recordInLog(store, 1, { ...told, ...(lie.event === undefined && { file }) } as LogBody));
    }
    expect(valueOf(await fsck(store)).problems).toHaveLength(3);
    await store.close();
  });

  test(`${name}: fsck, a checkpoint and an archive each describe a single moment of a log that grows meanwhile`, async () => {
    const store = await filled(await newPlace());
    const busy = growing(store);
    const [early, { text }] = [valueOf(await fsck(busy)), valueOf(await takeCheckpoint(busy, undefined))];
    expect(early).toMatchObject({ ok: true, problems: [] });
    expect(parseCheckpoint(text)).toMatchObject({ ok: true, value: { checkpoint: { runs: { length: 3 } } } });
    // The run grows while it is read, and before its archive is recorded.
    const { jsonl } = valueOf(await over(busy).archive(sampleRun(4, 12).run_id));
    const end = JSON.parse(jsonl.trimEnd().split('\n').at(-1) ?? '') as { end: { count: number; head: string } };
    expect(await events(store)).toMatchObject([{ records: end.end.count, head: end.end.head }]);
    expect(valueOf(await fsck(store, { checkpoint: text }))).toMatchObject({ ok: true, problems: [] });
    expect((await sizeAndRoot(store))[0]).toBeGreaterThan(early.size);
    await store.close();
  });
}
