import { expect, test } from 'vitest';
import { bytesAsFile } from '../../store/journal/bytes.ts';
import { crc32 } from '../../store/journal/crc.ts';
import { encodeHeader } from '../../store/journal/header.ts';
import { frames } from '../../store/journal/journal.ts';
import { back, backupOf } from './backup-sample.ts';
import { filled, sizeAndRoot } from './retention-sample.ts';
import { type StorePlace, valueOf } from './store-place.ts';

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
