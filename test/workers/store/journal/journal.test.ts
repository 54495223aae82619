import fc from 'fast-check';
import { expect, test } from 'vitest';
import { hashBytes } from '../../../../core/hash.ts';
import { concatBytes, encodeText } from '../../../../core/json/utf8.ts';
import { push } from '../../../../core/ledger/tree.ts';
import { makeFrameUsage } from '../../../../workers/store/journal/compaction.ts';
import { foreignEntry } from '../../../../workers/store/journal/foreign.ts';
import { type Entry, encodeFrame } from '../../../../workers/store/journal/frame.ts';
import { crc32, HEADER, useCrc32 } from '../../../../workers/store/journal/header.ts';
import {
  appendFrames,
  type ByteFile,
  bytesAsFile,
  frames,
  openChain,
  openJournal,
} from '../../../../workers/store/journal/journal.ts';
import { type Batch, EMPTY_LOG } from '../../../../workers/store/store.ts';
import type { TableValue } from '../../../../workers/store/tables.ts';
import { payload, runId } from '../../../core/ledger/sample.ts';

/** File in memory. A write throws when `writes.left` is used up. */
function memoryFile(writes: { left: number } = { left: Number.POSITIVE_INFINITY }): ByteFile {
  let bytes = new Uint8Array();
  return {
    size: () => bytes.length,
    read: (into, at) => {
      const part = bytes.subarray(at, at + into.length);
      into.set(part);
      return part.length;
    },
    write: (more, at) => {
      if (writes.left-- <= 0) throw new Error('the power went');
      const grown = new Uint8Array(Math.max(bytes.length, at + more.length));
      grown.set(bytes);
      grown.set(more, at);
      bytes = grown;
    },
    truncate: (size) => {
      bytes = bytes.slice(0, size);
    },
    flush: async () => undefined,
    close: () => undefined,
  };
}

function bytesOf(file: ByteFile): Uint8Array {
  const bytes = new Uint8Array(file.size());
  file.read(bytes, 0);
  return bytes;
}

function entriesIn(file: ByteFile): Entry[] {
  const entries: Entry[] = [];
  expect(openJournal(file, (entry) => entries.push(entry))).toMatchObject({ ok: true });
  return entries;
}

const batchAt = (seq: number, words: string): Batch => ({
  ...{ seq, run_id: runId(1), run_seq: seq, records: [words, 'ä€😀'], payloads: [payload(words)] },
  after: {
    log: push(EMPTY_LOG, hashBytes('1'.repeat(64))),
    run: { run_id: runId(1), records: seq + 2, head: 'h', at: 1, dialect: 'xct/0.1', sealed: false },
  },
});

test("a host's check sum is used where it is CRC-32, and any other is refused", () => {
  const asked: number[] = [];
  try {
    useCrc32((bytes) => {
      asked.push(bytes.length);
      return bytes.length === 9 ? 0xcbf43926 : 7;
    });
    expect(crc32(encodeText('ab'))).toBe(7);
    expect(asked).toEqual([9, 2]);
    expect(() => useCrc32(() => 0)).toThrow('a function that computes CRC-32');
  } finally {
    useCrc32(undefined);
  }
  expect(crc32(encodeText('ab'))).toBe(0x9e83486d);
});

test('a frame gives back texts of ASCII and beyond it', () => {
  const records = ['{"a":1}', '"ä"', '"\u{1f600}"', ''];
  const entry = foreignEntry(
    encodeFrame({ batch: { ...batchAt(0, ''), records }, tables: [] }).subarray(HEADER),
    'live',
  );
  expect(entry?.batch?.records).toEqual(records);
});

test('crc32 gives the check value of CRC-32', () => {
  expect(crc32(encodeText('123456789'))).toBe(0xcbf43926);
});

const value: fc.Arbitrary<TableValue> = fc.letrec<{ value: TableValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.jsonValue({ maxDepth: 2 }) as fc.Arbitrary<TableValue>,
    fc.uint8Array({ maxLength: 8 }),
    // Texts around the length from which they stand beside the row.
    fc.string({ unit: fc.constantFrom('a', '"', 'ä', '😀', '\ud800'), minLength: 126, maxLength: 130 }),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom('a', 'b', '__proto__', ''), tie('value'), { maxKeys: 3 }),
  ),
})).value;

test('a journal gives back all rows that were written, with bytes and odd names', () => {
  fc.assert(
    fc.property(fc.array(value, { maxLength: 4 }), (values) => {
      const tables = values.map((each, nth) => ({ table: 'kept' as const, key: `k${nth}`, value: each }));
      const file = memoryFile();
      appendFrames(file, [{ tables }, { batch: batchAt(0, 'x'), tables: [] }]);
      const [rows, batch] = entriesIn(file);
      // Both sides are compared as JSON, because JSON has no -0.
      expect(JSON.stringify(rows?.tables.map((row) => [row.key, plain(row.value)]))).toBe(
        JSON.stringify(tables.map((row) => [row.key, plain(row.value)])),
      );
      expect(batch?.batch).toEqual(batchAt(0, 'x'));
    }),
  );
});

function plain(each: TableValue | undefined): unknown {
  if (each instanceof Uint8Array) return { bytes: [...each] };
  if (Array.isArray(each)) return each.map((item) => plain(item as TableValue));
  if (typeof each !== 'object' || each === null) return each;
  return Object.entries(each).map(([name, item]) => [name, plain(item as TableValue)]);
}

test('of two frames for the same place the second holds, and the first is overwritten after any power cut', () => {
  const secret = 'harbour-loaf';
  const whole = { batch: batchAt(0, secret), tables: [] };
  const left = { batch: { ...batchAt(0, ''), records: [], payloads: [], gone: ['1'.repeat(64)] }, tables: [] };
  for (const writes of [0, 1, 2, 3]) {
    const power = { left: Number.POSITIVE_INFINITY };
    const file = memoryFile(power);
    appendFrames(file, [whole, left, { batch: batchAt(1, 'y'), tables: [] }]);
    power.left = writes;
    if (writes < 3) expect(() => openJournal(file, () => undefined)).toThrow('the power went');
    power.left = Number.POSITIVE_INFINITY;
    const entries = entriesIn(file);
    expect(entries.at(-2)).toEqual(left);
    expect(new TextDecoder().decode(bytesOf(file))).not.toContain(secret);
    expect(entriesIn(file)).toEqual([left, { batch: batchAt(1, 'y'), tables: [] }]);
  }
});

test('a frame that was written only in part is taken back', () => {
  const power = { left: 1 };
  const file = memoryFile(power);
  appendFrames(file, [{ batch: batchAt(0, 'x'), tables: [] }]);
  const before = bytesOf(file);
  expect(() => appendFrames(file, [{ batch: batchAt(2, 'y'), tables: [] }])).toThrow('the power went');
  expect(bytesOf(file)).toEqual(before);
});

const row = (key: string, value: TableValue | undefined) => ({ table: 'files' as const, key, value });

/** Writes a row, and then a change of three parts. */
async function chained(file: ByteFile): Promise<void> {
  appendFrames(file, [{ tables: [row('a', 'as it was')] }]);
  const chain = openChain(file, { at: 7, whole: true });
  for (const key of ['a', 'b', 'c']) await chain.add([row(key, key === 'b' ? undefined : Uint8Array.of(1))]);
  await chain.end();
}

test('a change in parts counts whole or not at all, wherever the file ends', async () => {
  const whole = memoryFile();
  await chained(whole);
  const bytes = bytesOf(whole);
  const first = { tables: [row('a', 'as it was')] };
  expect(entriesIn(whole)).toEqual([
    first,
    { tables: [row('a', Uint8Array.of(1))], whole: true, at: 7 },
    { tables: [row('b', undefined)], at: 7 },
    { tables: [row('c', Uint8Array.of(1))], at: 7 },
  ]);
  const begin = frameLengths(bytes)[0] ?? 0;
  for (let cut = begin; cut < bytes.length; cut++) {
    const torn = memoryFile();
    torn.write(bytes.slice(0, cut), 0);
    expect([cut, entriesIn(torn), torn.size()]).toEqual([cut, [first], begin]);
  }
});

test('a change of many parts that is taken back leaves the file as it was', async () => {
  const file = memoryFile();
  await chained(file);
  const before = bytesOf(file);
  const chain = openChain(file, {});
  for (const key of ['d', 'e', 'f']) await chain.add([row(key, 1)]);
  expect(file.size()).toBeGreaterThan(before.length);
  chain.undo();
  expect(bytesOf(file)).toEqual(before);
});

test('a damaged part of a complete change is damage, and not a torn end', async () => {
  const file = memoryFile();
  await chained(file);
  const [first = 0, second = 0] = frameLengths(bytesOf(file));
  file.write(Uint8Array.of(0xff), first + second + 30);
  expect(openJournal(file, () => undefined)).toMatchObject({
    refusal: { code: 'store_damaged', details: { at: first } },
  });
});

test('makeFrameUsage notes a removal in a part of a change', async () => {
  const file = memoryFile();
  await chained(file);
  const usage = makeFrameUsage();
  openJournal(file, (entry, { length }) => usage.note(entry, length));
  expect(usage.removes).toBe(true);
});

function frameLengths(bytes: Uint8Array): number[] {
  return [...frames(bytesAsFile(bytes))].map(({ length }) => length);
}

test('foreignEntry refuses a frame whose rows name the same bytes twice, which could fill memory', () => {
  const found = (...values: readonly unknown[]) => {
    const tables = values.map((value, nth) => ['kept', `k${nth}`, value]);
    const meta = encodeText(JSON.stringify({ tables, bytes: [1, 1] }));
    const length = new Uint8Array(4);
    new DataView(length.buffer).setUint32(0, meta.length, true);
    const entry = foreignEntry(concatBytes([length, meta, encodeText('xy')]), 'live');
    return entry?.tables.map(({ value }) => value);
  };
  expect(found(['t', 0], ['b', 1])).toEqual(['x', encodeText('y')]);
  expect(found(['t', 0], ['t', 0])).toBeUndefined();
  expect(found(['a', ['b', 0], ['b', 0]])).toBeUndefined();
  expect(found(['t', 1])).toBeUndefined();
  expect(found(['t', 0], ['t', 1], ['t', 2])).toBeUndefined();
});
