import { expect, test } from 'vitest';
import { refuse } from '../../../core/errors.ts';
import { hashText } from '../../../core/hash.ts';
import { parseCheckpoint } from '../../../core/ledger/checkpoint.ts';
import { parseExport } from '../../../core/ledger/export.ts';
import type { LogBody } from '../../../core/ledger/kinds/log.ts';
import { verifyExport } from '../../../core/ledger/verify.ts';
import { parkedKey } from '../../../core/run/powers/power-calls.ts';
import { takeCheckpoint } from '../../audit/checkpoint.ts';
import { fsck } from '../../auditor/fsck.ts';
import { backUp, takeBack } from '../../backup/backup.ts';
import type { BackupProgress } from '../../backup/scan.ts';
import { makeRetention } from '../../kernel/retention.ts';
import { bytesAsFile } from '../../store/journal/bytes.ts';
import { crc32 } from '../../store/journal/crc.ts';
import { encodeHeader } from '../../store/journal/frame.ts';
import { frames } from '../../store/journal/journal.ts';
import { readRecords } from '../../store/read-run.ts';
import type { Batch, LedgerStore } from '../../store/store.ts';
import { recordInLog } from '../../store/system-log.ts';
import { type SampleRun, sampleRun } from './sample.ts';
import { type StorePlace, valueOf } from './store-suite.ts';

const [kept, other] = [sampleRun(1, 2), sampleRun(2, 2)];

/** Key of a kept value. The value has both labels, because a restored value always has both. */
const KEY = 'own/notes/k';
const noted = (text: string) => ({ text: JSON.stringify(text), labels: ['private', 'untrusted'] });

async function filled(place: StorePlace): Promise<LedgerStore> {
  const store = await place.open();
  for (const { run_id, batches } of [kept, other]) {
    for (const batch of batches) valueOf(await store.append({ run_id, ...batch }, 'relaxed'));
  }
  valueOf(await store.put([{ table: 'kept', key: KEY, value: noted('k') }], 'relaxed'));
  return store;
}

/** Replacements that falsify the first batch or the rows of a backup. */
const LIES: readonly (readonly [RegExp, string])[] = [
  [/"peaks":1/, '"peaks":1000000000'],
  [/"peaks":1/, '"peaks":-1'],
  [/"size":\d+/, '"size":"2"'],
  [/"seq":0/, '"seq":"__proto__"'],
  [/"records":\[/, '"records":[4000000000,'],
  [/"records":\[\d+/, '"records":["1"'],
  [/"records":\[[\d,]+\]/, '"records":{}'],
  [/"payloads":\[\[/, '"payloads":[7,['],
  [/"row":\{/, '"row":null,"other":{'],
  [/("row":.*?"records":)\d+/, '$11000000000'],
  [/("row":.*?"dialect":)"/, '$1["\\u001b"],"x":"'],
  [/("row":.*?"run_id":")0/, '$1f'],
  [/"run_seq":0/, '"run_seq":5'],
  [/"end":\d+/, '"end":"x"'],
  [/"tables":\[\["kept"/, '"tables":[["__proto__"'],
  [/"tables":\[\["kept","own\/notes\/k"/, '"tables":[["kept",{"toString":1}'],
  [/"tables":\[/, `"tables":[["kept","deep",${'{"a":'.repeat(200_000)}1${'}'.repeat(200_000)}],`],
  [/^\{/, '{"bytes":[1e9],'],
  [/^\{.*$/, 'null'],
  [/^\{/, ''],
];

/** Backup with the first matching frame changed and its check sum made anew. Empty when no frame matched. */
function retold(backup: Uint8Array, change: (meta: string) => string): Uint8Array<ArrayBuffer> {
  const parts: Uint8Array[] = [];
  let changes = 0;
  for (const { body } of frames(bytesAsFile(backup))) {
    const to = 4 + new DataView(body.buffer, body.byteOffset).getUint32(0, true);
    const before = new TextDecoder().decode(body.subarray(4, to));
    const meta = changes === 0 ? change(before) : before;
    if (meta !== before) changes += 1;
    const words = new TextEncoder().encode(meta);
    const changed = new Uint8Array([0, 0, 0, 0, ...words, ...body.subarray(to)]);
    new DataView(changed.buffer).setUint32(0, words.length, true);
    parts.push(encodeHeader({ state: 'live', length: changed.length, crc: crc32(changed) }), changed);
  }
  return new Uint8Array(changes === 0 ? [] : parts.flatMap((part) => [...part]));
}

/** Blob that records the size of each part that was read. */
function watched(bytes: Uint8Array<ArrayBuffer>): { blob: Blob; reads: number[] } {
  const reads: number[] = [];
  const blob = new Blob([bytes]);
  const slice = blob.slice.bind(blob);
  blob.slice = (from, to) => {
    const part = slice(from, to);
    reads.push(part.size);
    return part;
  };
  return { blob, reads };
}

const over = (store: LedgerStore, free = true) =>
  makeRetention({ store }, async (run_id, act) => (free ? act() : refuse('run_open', { run_id })));

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

async function events(store: LedgerStore): Promise<LogBody[]> {
  const texts = valueOf(await readRecords(store, 'system'));
  return texts.map((text) => (JSON.parse(text) as { body: LogBody }).body);
}

async function bytesOf(store: LedgerStore, run: SampleRun): Promise<number> {
  return valueOf(await store.read(run.run_id)).reduce((sum, { payloads }) => sum + payloads.length, 0);
}

/** Append of a third run, with a row beside it. */
function keeping(key: string, value: string) {
  const { run_id, batches } = sampleRun(3, 1);
  const [first] = batches as [SampleRun['batches'][number]];
  return { run_id, ...first, tables: [{ table: 'kept' as const, key, value }] };
}

async function backupOf(store: LedgerStore): Promise<Uint8Array<ArrayBuffer>> {
  const parts: Uint8Array<ArrayBuffer>[] = [];
  valueOf(await backUp(store, (bytes) => parts.push(new Uint8Array(bytes)) > 0));
  return new Uint8Array(await new Blob(parts).arrayBuffer());
}

/** Restores bytes from a blob, like a person's file. */
const back = (store: LedgerStore | undefined, bytes: Uint8Array<ArrayBuffer>, tell?: BackupProgress) =>
  takeBack(store, new Blob([bytes]), tell);

async function sizeAndRoot(store: LedgerStore): Promise<readonly [number, string]> {
  const { size, root } = valueOf(await store.head());
  return [size, hashText(root)];
}

/** Tests of archives, deletion, erasure and backups that every store passes. */
export function retentionSuite(name: string, newPlace: () => Promise<StorePlace>): void {
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
    expect(await bytesOf(again, kept)).toBe(0);
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
    expect(await bytesOf(again, kept)).toBe(0);
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
    valueOf(await over(store).erase(kept.run_id, [first?.sha256 ?? '']));
    expect(valueOf(await store.payload(kept.run_id, first?.sha256 ?? ''))).toBeUndefined();
    expect(await bytesOf(store, kept)).toBeGreaterThan(0);
    valueOf(await over(store).erase(kept.run_id));
    await store.close();
    const again = await place.open();
    expect(await bytesOf(again, kept)).toBe(0);
    expect(await bytesOf(again, other)).toBeGreaterThan(0);
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

  test(`${name}: a run that is being written is neither deleted nor erased`, async () => {
    const store = await filled(await newPlace());
    for (const act of ['remove', 'erase'] as const) {
      expect(await over(store, false)[act](kept.run_id)).toMatchObject({ ok: false, refusal: { code: 'run_open' } });
    }
    expect(await events(store)).toEqual([]);
    expect(await bytesOf(store, kept)).toBeGreaterThan(0);
    await store.close();
  });

  test(`${name}: a backup fills an empty ledger with the same log, deleted runs and rows included`, async () => {
    const store = await filled(await newPlace());
    valueOf(await over(store).remove(kept.run_id));
    const backup = await backupOf(store);
    const empty = await (await newPlace()).open();
    valueOf(await back(empty, backup));
    expect(await sizeAndRoot(empty)).toEqual(await sizeAndRoot(store));
    const foreign = valueOf(await store.runs()).map((row) =>
      row.run_id === 'system' ? row : { ...row, foreign: true },
    );
    expect(valueOf(await empty.runs())).toEqual(foreign);
    expect(valueOf(await empty.get('kept', KEY))).toEqual(noted('k'));
    // A second restore adds no records. A log that has grown since is a different log, and refuses the backup.
    valueOf(await back(empty, backup));
    expect(await sizeAndRoot(empty)).toEqual(await sizeAndRoot(store));
    valueOf(await over(empty).archive(other.run_id));
    expect(await back(empty, backup)).toMatchObject({ ok: false, refusal: { code: 'backup_refused' } });
    expect((await backupOf(empty)).length).toBeGreaterThan(backup.length);
    await Promise.all([store.close(), empty.close()]);
  });

  test(`${name}: a backup and its restore report their progress, and stop when their callback returns false`, async () => {
    const store = await filled(await newPlace());
    const backup = await backupOf(store);
    const empty = await (await newPlace()).open();
    const told: number[] = [];
    const tell = (done: number, all: number) => told.push(done / all) > 0;
    valueOf(await backUp(store, (_, ...words) => tell(...words)));
    expect(valueOf(await backUp(store, () => false))).toBe(false);
    expect(valueOf(await back(empty, backup, () => false))).toBe(false);
    expect((await sizeAndRoot(empty))[0]).toBe(0);
    expect(valueOf(await back(empty, backup, tell))).toBe(true);
    expect(told.every((share) => share > 0 && share <= 1)).toBe(true);
    expect(told.at(-1)).toBe(1);
    await Promise.all([store.close(), empty.close()]);
  });

  test(`${name}: a backup is made and read page by page, and is never in memory as a whole`, async () => {
    const store = await filled(await newPlace());
    const keys = Array.from({ length: 70 }, (_, nth) => `own/notes/row ${nth}`);
    const value = noted('v'.repeat(50_000));
    valueOf(await store.put([...keys.map((key) => ({ table: 'kept' as const, key, value }))], 'strict'));
    const pages: number[] = [];
    valueOf(await backUp(store, ({ length }) => pages.push(length) > 0));
    expect(pages.length).toBeGreaterThan(3);
    expect(Math.max(...pages)).toBeLessThan(32 * 51_000);
    const backup = await backupOf(store);
    const { blob, reads } = watched(backup);
    const empty = await (await newPlace()).open();
    // Without a store the backup is only checked.
    expect(valueOf(await takeBack(undefined, blob))).toBe(true);
    valueOf(await takeBack(empty, blob));
    expect(Math.max(...reads)).toBeLessThan(backup.length);
    expect(await sizeAndRoot(empty)).toEqual(await sizeAndRoot(store));
    expect(valueOf(await empty.all('kept'))).toEqual(valueOf(await store.all('kept')));
    await Promise.all([store.close(), empty.close()]);
  });

  test(`${name}: a backup with a flipped bit is refused, and no part of it is written`, async () => {
    const store = await filled(await newPlace());
    const backup = await backupOf(store);
    const empty = await (await newPlace()).open();
    for (let at = 0; at < backup.length; at += 4_999) {
      const damaged = backup.slice();
      damaged[at] = (damaged[at] ?? 0) ^ 1;
      expect([at, await back(empty, damaged)]).toMatchObject([at, { refusal: { code: 'backup_refused' } }]);
    }
    for (const bytes of [backup.slice(0, -1), new TextEncoder().encode('no backup')]) {
      expect(await back(empty, bytes)).toMatchObject({ refusal: { code: 'backup_refused' } });
    }
    expect((await sizeAndRoot(empty))[0]).toBe(0);
    await Promise.all([store.close(), empty.close()]);
  });

  test(`${name}: a backup that was cut between two frames, lacks a frame, or goes on behind its end is refused`, async () => {
    const store = await filled(await newPlace());
    const backup = await backupOf(store);
    const empty = await (await newPlace()).open();
    const places = [...frames(bytesAsFile(backup))].map(({ at, length }) => [at, at + length] as const);
    expect(places.length).toBeGreaterThan(10);
    const cuts = places.map(([at]) => backup.slice(0, at));
    const holes = places.map(([at, to]) => new Uint8Array([...backup.subarray(0, at), ...backup.subarray(to)]));
    const longer = new Uint8Array([...backup, ...backup]);
    for (const [nth, bytes] of [...cuts, ...holes, longer].entries()) {
      const words = nth < cuts.length ? expect.stringContaining('truncated') : expect.any(String);
      expect([nth, await back(empty, bytes)]).toMatchObject([
        nth,
        { refusal: { code: 'backup_refused', message: words } },
      ]);
    }
    expect((await sizeAndRoot(empty))[0]).toBe(0);
    await Promise.all([store.close(), empty.close()]);
  });

  test(`${name}: a backup with impossible contents is refused, although its check sums are right`, async () => {
    const store = await filled(await newPlace());
    const backup = await backupOf(store);
    const empty = await (await newPlace()).open();
    for (const [from, to] of LIES) {
      const lying = retold(backup, (meta) => meta.replace(from, to));
      expect([String(from), lying.length === 0]).toEqual([String(from), false]);
      expect([to, await back(empty, lying)]).toMatchObject([to, { refusal: { code: 'backup_refused' } }]);
    }
    expect((await sizeAndRoot(empty))[0]).toBe(0);
    expect(valueOf(await empty.all('kept'))).toEqual([]);
    await Promise.all([store.close(), empty.close()]);
  });

  test(`${name}: a backup whose log is already in the store does not overwrite newer rows`, async () => {
    const store = await filled(await newPlace());
    const backup = await backupOf(store);
    valueOf(await store.put([{ table: 'kept', key: KEY, value: noted('newer') }], 'strict'));
    valueOf(await back(store, backup));
    expect(valueOf(await store.get('kept', KEY))).toEqual(noted('newer'));
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
