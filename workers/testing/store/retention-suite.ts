import { expect, test } from 'vitest';
import { parseCheckpoint } from '../../../core/ledger/checkpoint.ts';
import { parseExport } from '../../../core/ledger/export.ts';
import type { LogBody } from '../../../core/ledger/kinds/log.ts';
import { verifyExport } from '../../../core/ledger/verify.ts';
import { parkedKey } from '../../../core/run/powers/power-calls.ts';
import { takeCheckpoint } from '../../auditor/checkpoint.ts';
import { fsck } from '../../auditor/fsck.ts';
import { finishErasures, type Retention } from '../../kernel/retention.ts';
import { nameKey, nameRow, withNames } from '../../kernel/run-names.ts';
import { readRecords } from '../../store/read-run.ts';
import type { Batch, LedgerStore } from '../../store/store.ts';
import { recordInLog } from '../../store/system-log.ts';
import type { TableWrite } from '../../store/tables.ts';
import { backupSuite, hostileBackupSuite } from './backup-suite.ts';
import {
  events,
  filled,
  KEY,
  kept,
  noted,
  other,
  over,
  payloadsOf,
  type SampleRun,
  sampleRun,
  sizeAndRoot,
  stopping,
} from './sample.ts';
import { type StorePlace, valueOf } from './store-place.ts';

/**
 * Tests of archives, deletion, erasure and backups that every store passes.
 *
 * @experimental
 */
export function retentionSuite(name: string, newPlace: () => Promise<StorePlace>): void {
  archiveSuite(name, newPlace);
  removalSuite(name, newPlace);
  backupSuite(name, newPlace);
  hostileBackupSuite(name, newPlace);
}

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
function archiveSuite(name: string, newPlace: () => Promise<StorePlace>): void {
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

/** Append of a third run, with a row beside it. */
function keeping(key: string, value: string) {
  const { run_id, batches } = sampleRun(3, 1);
  const [first] = batches as [SampleRun['batches'][number]];
  return { run_id, ...first, tables: [{ table: 'kept' as const, key, value }] };
}

/** Tests of deletion and erasure. */
function removalSuite(name: string, newPlace: () => Promise<StorePlace>): void {
  test(`${name}: a run that was deleted in part has no archive, and can be deleted again`, async () => {
    const place = await newPlace();
    const store = await filled(place);
    const [first, ...rest] = valueOf(await store.read(kept.run_id));
    const gone = (first?.records ?? []).map((line) => (JSON.parse(line) as { hash: string }).hash);
    valueOf(await store.replace([{ ...(first as Batch), records: [], payloads: [], gone }]));
    await store.close();
    const again = await place.open();
    expect(rest.length).toBeGreaterThan(0);
    expect(valueOf(await again.runs()).map(({ run_id }) => run_id)).toContain(kept.run_id);
    expect(await over(again).archive(kept.run_id)).toMatchObject({ ok: false, refusal: { code: 'run_absent' } });
    valueOf(await over(again).remove(kept.run_id));
    expect(await payloadsOf(again, kept)).toBe(0);
    expect(valueOf(await again.runs()).map(({ run_id }) => run_id)).not.toContain(kept.run_id);
    await again.close();
  });

  test(`${name}: a deleted run loses its records and payloads, and the log keeps its hashes`, async () => {
    const place = await newPlace();
    const store = await filled(place);
    const before = valueOf(await readRecords(store, other.run_id));
    const { text } = valueOf(await takeCheckpoint(store, undefined));
    valueOf(await over(store).remove(kept.run_id));
    await store.close();
    const again = await place.open();
    expect(valueOf(await again.runs()).map(({ run_id }) => run_id)).not.toContain(kept.run_id);
    expect(valueOf(await readRecords(again, kept.run_id))).toEqual([]);
    expect(await payloadsOf(again, kept)).toBe(0);
    expect(valueOf(await readRecords(again, other.run_id))).toEqual(before);
    expect(await events(again)).toMatchObject([{ event: 'deleted', run: kept.run_id, records: 13 }]);
    // The tree over all leaves is unchanged, since a deleted record leaves its hash. The old checkpoint still fits.
    expect(valueOf(await fsck(again, { checkpoint: text }))).toMatchObject({ ok: true, problems: [] });
    const batches = valueOf(await again.log(0, 1_000));
    const gone = batches.filter((batch) => batch.gone !== undefined);
    expect(gone.flatMap((batch) => batch.gone)).toHaveLength(13);
    const last = batches.at(-1)?.after.log.size;
    expect(last).toBe((await sizeAndRoot(again))[0]);
    expect(await over(again).remove(kept.run_id)).toMatchObject({ ok: false, refusal: { code: 'run_absent' } });
    await again.close();
  });

  test(`${name}: erased payloads are gone, every record still verifies, and payloads that were not named stay`, async () => {
    const place = await newPlace();
    const store = await filled(place);
    const [first] = kept.batches[1]?.payloads ?? [];
    valueOf(await over(store).erase(kept.run_id, { payloads: [first?.sha256 ?? ''] }));
    expect(valueOf(await store.payload(kept.run_id, first?.sha256 ?? ''))).toBeUndefined();
    expect(await payloadsOf(store, kept)).toBeGreaterThan(0);
    valueOf(await over(store).erase(kept.run_id));
    await store.close();
    const again = await place.open();
    expect(await payloadsOf(again, kept)).toBe(0);
    expect(await payloadsOf(again, other)).toBeGreaterThan(0);
    const { jsonl } = valueOf(await over(again).archive(kept.run_id));
    expect(verifyExport(jsonl)).toMatchObject({ ok: true, records: 13 });
    expect(await events(again)).toMatchObject([
      { event: 'erased', payloads: [first?.sha256] },
      { event: 'erased', run: kept.run_id },
      { event: 'archived' },
    ]);
    await again.close();
  });

  test(`${name}: a value that a run kept outlives the deleted run, and the heap of its parked call does not`, async () => {
    const place = await newPlace();
    const store = await filled(place);
    const append = keeping('notes/a', 'kept on purpose');
    valueOf(await store.append(append, 'strict'));
    const parked = { table: 'kept' as const, key: parkedKey(append.run_id), value: 'pages' };
    valueOf(await store.put([parked], 'strict'));
    valueOf(await over(store).remove(append.run_id));
    expect(valueOf(await store.get('kept', parked.key))).toBeUndefined();
    await store.close();
    const again = await place.open();
    expect(valueOf(await again.all('kept'))).toEqual([
      ['notes/a', 'kept on purpose'],
      [KEY, noted('k')],
    ]);
    await again.close();
  });

  test(`${name}: runs have their model and the beginning of their first task, read once; an erasure and a deletion take it away`, async () => {
    const place = await newPlace();
    const store = await filled(place);
    const { run_id, batches } = sampleRun(3, 1);
    const [first] = batches as [SampleRun['batches'][number]];
    const records = first.records.map(({ record }) => record);
    const row = nameRow(run_id, records, first.payloads) as TableWrite;
    valueOf(await store.append({ run_id, ...first, tables: [row] }, 'strict'));
    const reads: string[] = [];
    const watched: LedgerStore = {
      ...store,
      all: (...asked) => store.all(...asked),
      put: (...asked) => store.put(...asked),
      read: (...asked) => (reads.push(asked[0]), store.read(...asked)),
    };
    const [{ model }] = records.map(({ body }) => body as { readonly model: string }) as [{ readonly model: string }];
    const tasks = async (): Promise<{ readonly [run_id: string]: string | undefined }> => {
      const named = valueOf(await withNames(watched, (_, act) => act(), valueOf(await store.runs())));
      const models = named.flatMap((each) => ([kept.run_id, run_id].includes(each.run_id) ? [each.model] : []));
      expect(models).toEqual([model, model]);
      return Object.fromEntries(named.map((each) => [each.run_id, each.task]));
    };
    const all = { [kept.run_id]: 'Task 1', [other.run_id]: 'Task 2', [run_id]: 'Task 3' };
    expect(await tasks()).toEqual(all);
    expect(reads.toSorted()).toEqual([kept.run_id, other.run_id].toSorted());
    expect(await tasks()).toEqual(all);
    expect(reads).toHaveLength(2);
    valueOf(await over(store).erase(kept.run_id));
    valueOf(await over(store).remove(other.run_id));
    const left = valueOf(await store.all('kept')).map(([key]) => key);
    expect(left.filter((key) => key.startsWith('names/'))).toEqual([nameKey(run_id)]);
    expect(await tasks()).toEqual({ [kept.run_id]: undefined, [run_id]: 'Task 3' });
    await store.close();
    const again = await place.open();
    expect(valueOf(await again.get('kept', nameKey(kept.run_id)))).toEqual({ model });
    await again.close();
  });

  test(`${name}: an erasure takes the values that the run was the last to store, and no label row`, async () => {
    const place = await newPlace();
    const store = await filled(place);
    const value = (run: string, text: string) => ({ text: JSON.stringify(text), labels: [], run });
    const row = (key: string, run: string) => ({ table: 'kept' as const, key, value: value(run, key) });
    const label = { table: 'kept' as const, key: 'labels/notes/known', value: { text: 'null', labels: [] } };
    valueOf(
      await store.put([row('own/notes/mine', kept.run_id), row('own/notes/other', other.run_id), label], 'strict'),
    );
    expect(valueOf(await over(store).stored('notes')).map(({ key, run_id }) => [key, run_id])).toEqual([
      ['k', undefined],
      ['mine', kept.run_id],
      ['other', other.run_id],
    ]);
    expect(valueOf(await over(store).erase(kept.run_id))).toEqual({ values: 0, otherTabs: 0 });
    expect(valueOf(await over(store).erase(kept.run_id, { stored: true }))).toEqual({ values: 1, otherTabs: 0 });
    expect(valueOf(await over(store).stored()).map(({ key }) => key)).toEqual(['k', 'other']);
    expect(valueOf(await over(store).stored('other'))).toEqual([]);
    expect(valueOf(await over(store).forgetStored('notes'))).toEqual({ values: 2, otherTabs: 0 });
    expect(valueOf(await over(store).forgetStored('notes'))).toEqual({ values: 0, otherTabs: 0 });
    await store.close();
    const again = await place.open();
    expect(valueOf(await again.all('kept'))).toEqual([[label.key, label.value]]);
    expect(await events(again)).toMatchObject([
      { event: 'erased' },
      { event: 'erased', run: kept.run_id, payloads: [], values: 1 },
      { event: 'forgotten', capability: 'notes', values: 2 },
    ]);
    expect(valueOf(await fsck(again))).toMatchObject({ ok: true });
    await again.close();
  });

  const cutOff = {
    'an erasure': (retention: Retention) => retention.erase(kept.run_id, { stored: true }),
    'a deletion': (retention: Retention) => retention.remove(kept.run_id),
    'the erasure of what a name has stored': (retention: Retention) => retention.forgetStored('notes'),
  };
  for (const [what, act] of Object.entries(cutOff))
    test(`${name}: ${what} that is recorded is finished by the next opening, wherever it stopped`, async () => {
      for (let writes = 0, isDone = false; !isDone; writes++) {
        const place = await newPlace();
        const store = await filled(place);
        const value = { text: '"mine"', labels: [], run: kept.run_id };
        const [mine, parked] = ['own/notes/mine', parkedKey(kept.run_id)];
        const rows = [
          { table: 'kept' as const, key: mine, value },
          { table: 'kept' as const, key: parked, value: 'pages' },
        ];
        valueOf(await store.put(rows, 'strict'));
        isDone = (await act(over(stopping(store, writes)))).ok;
        await (place.crash?.(store) ?? store.close());
        const again = await place.open();
        const tidied: (string | undefined)[] = [];
        const tidy = (run_id?: string) => {
          tidied.push(run_id);
          return again.tidy(run_id);
        };
        const claim = async () => () => undefined;
        await finishErasures({ store: { ...again, tidy }, claim });
        const [body] = await events(again);
        const left = valueOf(await again.all('kept')).map(([key]) => key);
        const isForgotten = what.startsWith('the erasure');
        const at = `stopped after ${writes} writes`;
        expect(body === undefined, at).toBe(writes === 0);
        if (isDone) expect(tidied, at).toEqual([]);
        else if (body !== undefined) expect(tidied, at).toEqual([isForgotten ? undefined : kept.run_id]);
        const isTaken = body !== undefined;
        expect((await payloadsOf(again, kept)) === 0, at).toBe(isTaken && !isForgotten);
        expect(left.includes(parked), at).toBe(!isTaken || isForgotten);
        expect(left.includes(mine), at).toBe(!isTaken || body.event === 'deleted');
        expect(
          left.filter((key) => ![KEY, mine, parked].includes(key)),
          at,
        ).toEqual([]);
        expect(await payloadsOf(again, other)).toBeGreaterThan(0);
        expect(valueOf(await fsck(again))).toMatchObject({ ok: true });
        await again.close();
      }
    });

  test(`${name}: an erasure that another kernel is at work on stays its own`, async () => {
    const place = await newPlace();
    const store = await filled(place);
    expect((await over(stopping(store, 1)).erase(kept.run_id)).ok).toBe(false);
    await finishErasures({ store, claim: async () => undefined });
    expect(await payloadsOf(store, kept)).toBeGreaterThan(0);
    await finishErasures({ store, claim: async () => () => undefined });
    expect(await payloadsOf(store, kept)).toBe(0);
    await store.close();
  });

  test(`${name}: a run that is being written is neither deleted nor erased`, async () => {
    const store = await filled(await newPlace());
    for (const act of ['remove', 'erase'] as const) {
      expect(await over(store, false)[act](kept.run_id)).toMatchObject({ ok: false, refusal: { code: 'run_open' } });
    }
    expect(await events(store)).toEqual([]);
    expect(await payloadsOf(store, kept)).toBeGreaterThan(0);
    await store.close();
  });

  test(`${name}: destroy leaves an empty store when no other tab has it open`, async () => {
    const place = await newPlace();
    const store = await filled(place);
    valueOf(await store.destroy());
    const again = await place.open();
    expect((await sizeAndRoot(again))[0]).toBe(0);
    expect(valueOf(await again.runs())).toEqual([]);
    expect(valueOf(await again.get('kept', KEY))).toBeUndefined();
    await again.close();
  });
}
