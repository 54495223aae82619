import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type DroppedLine, makeLineSplitter } from '../../../../workers/bridges/models/lines.ts';

const encoder = new TextEncoder();
const decoder = new TextDecoder();

function split(chunks: readonly Uint8Array[], bytesMax: number): { lines: string[]; dropped: DroppedLine[] } {
  const found = { lines: [] as string[], dropped: [] as DroppedLine[] };
  const splitter = makeLineSplitter(bytesMax, {
    line: (line) => void found.lines.push(decoder.decode(line)),
    dropped: (line) => void found.dropped.push(line),
  });
  for (const chunk of chunks) splitter.push(chunk);
  splitter.end();
  return found;
}

/** The bytes of a text in chunks of the given lengths. */
function chunked(text: string, lengths: readonly number[]): readonly Uint8Array[] {
  const bytes = encoder.encode(text);
  const chunks: Uint8Array[] = [];
  let at = 0;
  for (const length of lengths) {
    chunks.push(bytes.subarray(at, at + length));
    at += length;
  }
  return [...chunks, bytes.subarray(at)];
}

it('the lines are the same for any division into chunks', () => {
  const lines = fc.array(fc.string({ unit: 'grapheme' }).map((line) => line.replaceAll('\n', ' ')));
  fc.assert(
    fc.property(lines, fc.array(fc.nat({ max: 9 })), (wanted, lengths) => {
      const text = wanted.map((line) => `${line}\n`).join('');
      expect(split(chunked(text, lengths), 10_000)).toEqual({ lines: wanted, dropped: [] });
    }),
  );
});

it('a line of the limit is kept, and a line of a byte more is dropped with its ends', () => {
  const chunks = chunked(`${'a'.repeat(10)}\n${'b'.repeat(11)}\nc`, [5, 3, 9]);
  const { lines, dropped } = split(chunks, 10);
  expect(lines).toEqual(['aaaaaaaaaa', 'c']);
  expect(dropped.map(({ bytes }) => bytes)).toEqual([11]);
});

it('a dropped line keeps its first and its last bytes and no more', () => {
  const chunk = encoder.encode('x'.repeat(65_536));
  const { dropped } = split(
    [encoder.encode('{"id":1'), ...Array.from({ length: 64 }, () => chunk), encoder.encode('}\n')],
    100_000,
  );
  const [{ bytes, head, tail } = { bytes: 0, head: new Uint8Array(), tail: new Uint8Array() }] = dropped;
  expect(bytes).toBe(7 + 64 * 65_536 + 1);
  expect(decoder.decode(head)).toMatch(/^\{"id":1x+$/);
  expect(decoder.decode(tail)).toMatch(/^x+\}$/);
  expect(head.byteLength + tail.byteLength).toBe(8192);
});
