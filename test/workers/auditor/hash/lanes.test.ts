import { sha256 as reference } from '@noble/hashes/sha2.js';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { hashText } from '../../../../core/hash.ts';
import { batchWith, hashWith, type Lanes, makeLanes } from '../../../../workers/auditor/hash/use.ts';
import { FOUR, ONE, type Words } from '../../../../workers/auditor/hash/wasm.ts';

const utf8 = new TextEncoder();
const inHex = (bytes: Uint8Array) => hashText(reference(bytes));
const some = (length: number) => Uint8Array.from({ length }, (_, at) => at * 31 + length);

function lanes(words: Words, room: number): Lanes {
  const made = makeLanes(words, room);
  if (made === undefined) throw new Error('this engine has no WebAssembly SIMD');
  return made;
}

/** Rooms of one block, of a few, and as the workers have it: a longer message is hashed in pieces. */
const ROOMS = [64, 192, 16_384];

describe.each(ROOMS)('SHA-256 in WebAssembly with room for %i bytes', (room) => {
  const one = lanes(ONE, room);
  const hash = hashWith(one);
  // Without SIMD, single messages and batches share a lane.
  const batches = [batchWith(lanes(FOUR, room), hash), batchWith(one, hash)];

  test('the hash of each length up to 300 bytes equals that of the noble library', () => {
    for (let length = 0; length <= 300; length++) expect(hash(some(length)), `${length}`).toBe(inHex(some(length)));
  });

  test.each([16_319, 16_320, 16_375, 16_376, 16_383, 16_384, 16_385, 32_768, 100_003, 1_000_000])(
    'the hash of %i bytes equals that of the noble library',
    (length) => expect(hash(some(length))).toBe(inHex(some(length))),
  );

  test('a view into a larger buffer is hashed from any offset without the bytes around it', () => {
    const whole = some(200);
    for (let from = 0; from < 9; from++)
      expect(hash(whole.subarray(from, from + 120))).toBe(inHex(whole.slice(from, from + 120)));
  });

  test('the hashes of many texts of any lengths equal those of the noble library, in their order', () => {
    const text = fc.string({ unit: 'grapheme', maxLength: 40 });
    const texts = fc.array(fc.tuple(text, fc.constantFrom(0, 1, 3, 40)), { maxLength: 11 });
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 90 }), texts, (prefix, parts) => {
        const all = parts.map(([part, times]) => part.repeat(times));
        const expected = all.map((each) => inHex(utf8.encode(prefix + each)));
        for (const batch of batches) expect(batch.texts(prefix, all)).toEqual(expected);
      }),
      { numRuns: 40 },
    );
  });

  test('a text of each length up to 300 beside shorter and longer texts has the hash of the noble library', () => {
    const all = Array.from({ length: 301 }, (_, nth) => 'x'.repeat((nth * 7) % 301));
    const expected = all.map((each) => inHex(utf8.encode(each)));
    for (const batch of batches) expect(batch.texts('', all)).toEqual(expected);
  });

  test('texts that are longer than a lane have the hash of the noble library', () => {
    const all = [16_384, 3, 5_461, 5_462, 5_440, 40_000].flatMap((units) => [
      'a'.repeat(units),
      '\u20ac'.repeat(units),
    ]);
    const expected = all.map((each) => inHex(utf8.encode(`p${each}`)));
    for (const batch of batches) expect(batch.texts('p', all)).toEqual(expected);
  });
});

describe.each(ROOMS.slice(1))('parts of bytes with room for %i bytes', (room) => {
  const hash = hashWith(lanes(ONE, room));

  test.each([32, 64])('the hashes of parts of %i bytes behind a prefix equal those of the noble library', (size) => {
    for (let count = 0; count <= 9; count++) {
      const bytes = some(size * count);
      const expected = Array.from({ length: count }, (_, nth) => [
        ...reference(Uint8Array.of(1, ...bytes.subarray(nth * size, (nth + 1) * size))),
      ]);
      for (const words of [FOUR, ONE])
        expect([...batchWith(lanes(words, room), hash).parts(1, bytes, size)]).toEqual(expected.flat());
    }
  });
});
