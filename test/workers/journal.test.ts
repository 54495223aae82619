import fc from 'fast-check';
import { expect, test } from 'vitest';
import { encodeText, hashBytes, push } from '../../core/inner.ts';
import { crc32 } from '../../workers/journal/crc.ts';
import type { ByteFile } from '../../workers/journal/file.ts';
import type { Entry } from '../../workers/journal/frame.ts';
import { appendFrames } from '../../workers/journal/journal.ts';
import { openJournal } from '../../workers/journal/open.ts';
import { type Batch, EMPTY_LOG } from '../../workers/store.ts';
import type { TableValue } from '../../workers/tables.ts';
import { payload, runId } from '../ledger/sample.ts';

/** Bytes in memory, as a file; `writes` so many more before the power goes. */
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

test('CRC-32 is the one of its check value', () => {
  expect(crc32(encodeText('123456789'))).toBe(0xcbf43926);
});

const value: fc.Arbitrary<TableValue> = fc.letrec<{ value: TableValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.jsonValue({ maxDepth: 2 }) as fc.Arbitrary<TableValue>,
    fc.uint8Array({ maxLength: 8 }),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom('a', 'b', '__proto__', ''), tie('value'), { maxKeys: 3 }),
  ),
})).value;

test('a journal gives back whatever rows were written, bytes and odd names too', () => {
  fc.assert(
    fc.property(fc.array(value, { maxLength: 4 }), (values) => {
      const tables = values.map((each, nth) => ({ table: 'kept' as const, key: `k${nth}`, value: each }));
      const file = memoryFile();
      appendFrames(file, [{ tables }, { batch: batchAt(0, 'x'), tables: [] }]);
      const [rows, batch] = entriesIn(file);
      // Compared as the platform compares copies: JSON has no -0, and stores none.
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

test('of two frames for one place the second stands, and the first is overwritten wherever the power goes', () => {
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

test('a frame that a full disk took only half of is taken back', () => {
  const power = { left: 1 };
  const file = memoryFile(power);
  appendFrames(file, [{ batch: batchAt(0, 'x'), tables: [] }]);
  const before = bytesOf(file);
  expect(() => appendFrames(file, [{ batch: batchAt(2, 'y'), tables: [] }])).toThrow('the power went');
  expect(bytesOf(file)).toEqual(before);
});
