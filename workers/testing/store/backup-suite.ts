import { expect, test } from 'vitest';
import { NO_RECORDS } from '../../../core/ledger/chain.ts';
import { type Outcome, pass } from '../../../core/outcome.ts';
import { checkLog } from '../../auditor/verify-log.ts';
import type { BackupProgress } from '../../kernel/backup/backup.ts';
import { backUp, prepareReplacement, takeBack } from '../../kernel/backup/backup.ts';
import { crc32, encodeHeader } from '../../store/journal/header.ts';
import { bytesAsFile, frames } from '../../store/journal/journal.ts';
import type { LedgerStore } from '../../store/store.ts';
import { filled, forked, KEY, kept, noted, other, over, runId, sizeAndRoot } from './sample.ts';
import { type StorePlace, valueOf } from './store-place.ts';

const RACE = runId(9);

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

/** Tests of backups and their restore. */
export function backupSuite(name: string, newPlace: () => Promise<StorePlace>): void {
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
    valueOf(await backUp(store, (_, done, all) => tell(done, all)));
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
    // the keys of a file are its author's choice, so their name is labelled
    const known = ['labels/notes/known', { text: 'null', labels: ['private', 'untrusted'] }];
    expect(valueOf(await empty.all('kept'))).toEqual([known, ...valueOf(await store.all('kept'))]);
    await Promise.all([store.close(), empty.close()]);
  });

  test(`${name}: another log takes the place of the log when it is whole, and not before`, async () => {
    const place = await newPlace();
    const store = await filled(place);
    valueOf(await store.put([{ table: 'kept', key: 'own/notes/old', value: noted('old') }], 'strict'));
    if (store.exchange === undefined) return store.close();
    const source = await filled(await newPlace());
    valueOf(await over(source).archive(other.run_id));
    const [wanted, backup] = [await sizeAndRoot(source), new Blob([await backupOf(source)])];
    const before = await sizeAndRoot(store);
    for (const share of [0.1, 0.5, 0.9]) {
      const ended = valueOf(await prepareReplacement(store, backup, (done, all) => done / all < share, 1));
      await ended?.discard();
      expect(await sizeAndRoot(store), `ended at ${share}`).toEqual(before);
    }
    const damaged = new Blob([backup, Uint8Array.of(0)]);
    expect(await prepareReplacement(store, damaged, () => true, 1)).toMatchObject({
      ok: false,
      refusal: { code: 'backup_refused' },
    });
    const told: number[] = [];
    const prepared = valueOf(await prepareReplacement(store, backup, (done, all) => told.push(done / all) > 0, 3));
    expect(await sizeAndRoot(store)).toEqual(before);
    valueOf((await prepared?.commit()) ?? pass(undefined));
    expect(told).toEqual(told.toSorted((one, another) => one - another));
    expect(told.at(-1)).toBe(1);
    const again = await place.open();
    // behind the log of the file stands the record that it was restored
    const [size] = await sizeAndRoot(again);
    expect(size).toBe(wanted[0] + 1);
    const [note] = valueOf(await again.log(wanted[0], 10));
    expect(note?.records.map((text) => JSON.parse(text) as unknown)).toMatchObject([
      {
        run_id: 'system',
        epoch: 3,
        kind: 'log',
        body: { event: 'backup_restored', size: wanted[0], root: wanted[1], found: before[0] },
      },
    ]);
    expect(valueOf(await checkLog(again)).problems).toEqual([]);
    valueOf(await over(again).archive(kept.run_id));
    expect((await sizeAndRoot(again))[0]).toBe(size + 1);
    expect(valueOf(await again.get('kept', 'own/notes/old'))).toBeUndefined();
    expect(valueOf(await again.get('kept', KEY))).toEqual(noted('k'));
    expect(valueOf(await again.runs()).filter(({ foreign }) => foreign).length).toBeGreaterThan(0);
    await Promise.all([again.close(), source.close()]);
  });

  test(`${name}: a restore that another writer is faster than ends as backup_refused, and writes nothing`, async () => {
    const source = await filled(await newPlace());
    const backup = await backupOf(source);
    const store = await (await newPlace()).open();
    let isFirst = true;
    const tell = async (done: number, all: number) => {
      // the file is verified, and the log was empty when its head was read
      if (done === all && isFirst) valueOf(await store.append(forked(RACE, NO_RECORDS), 'strict'));
      isFirst &&= done !== all;
      return true;
    };
    expect(await back(store, backup, tell)).toMatchObject({ ok: false, refusal: { code: 'backup_refused' } });
    expect(valueOf(await store.runs()).map(({ run_id }) => run_id)).toEqual([RACE]);
    expect(valueOf(await store.all('kept'))).toEqual([]);
    await Promise.all([source.close(), store.close()]);
  });

  test(`${name}: a backup whose log is already in the store does not overwrite newer rows`, async () => {
    const store = await filled(await newPlace());
    const backup = await backupOf(store);
    valueOf(await store.put([{ table: 'kept', key: KEY, value: noted('newer') }], 'strict'));
    valueOf(await back(store, backup));
    expect(valueOf(await store.get('kept', KEY))).toEqual(noted('newer'));
    await store.close();
  });
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

/** Tests of backups that were changed, cut or made up. */
export function hostileBackupSuite(name: string, newPlace: () => Promise<StorePlace>): void {
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
}

/** The whole backup of a store. */
async function backupOf(store: LedgerStore): Promise<Uint8Array<ArrayBuffer>> {
  const parts: Uint8Array<ArrayBuffer>[] = [];
  valueOf(await backUp(store, (bytes) => parts.push(new Uint8Array(bytes)) > 0));
  return new Uint8Array(await new Blob(parts).arrayBuffer());
}

/** Restores bytes from a blob, like a person's file. Without a store the bytes are only checked. */
function back(
  store: LedgerStore | undefined,
  bytes: Uint8Array<ArrayBuffer>,
  tell?: BackupProgress,
): Promise<Outcome<boolean>> {
  return takeBack(store, new Blob([bytes]), tell);
}
