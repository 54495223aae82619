import { sha256 as reference } from '@noble/hashes/sha2.js';
import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import {
  hashBytes,
  hashInner,
  hashLeaf,
  hashLeaves,
  hashPairs,
  hashText,
  hashTexts,
  isHash,
  sha256,
  sha256Hex,
  sha256Text,
  sha256Texts,
  structureHash,
  structureHashes,
  useSha256,
} from '../../core/hash.ts';
import { concatBytes } from '../../core/json/utf8.ts';
import { Sha256 } from '../../core/sha256.ts';

const LENGTHS = [
  0, 1, 54, 55, 56, 63, 64, 65, 127, 128, 1_000, 4_096, 5_460, 5_461, 5_462, 16_383, 16_384, 16_385, 100_000,
];

// Our own loop, which every host has; the functions of hosts are held in `test/workers/{hash,node}`.
beforeAll(() => useSha256(undefined));

describe('SHA-256', () => {
  test.each(LENGTHS)('the SHA-256 of %i bytes equals that of the platform', async (length) => {
    const bytes = Uint8Array.from({ length }, (_, index) => index * 31);
    expect(sha256Hex(bytes)).toBe(await platform(bytes));
  });

  test.each(LENGTHS)('the SHA-256 of a text of %i units equals that of its UTF-8 bytes', async (length) => {
    for (const unit of ['a', '\u00e9', '\u20ac', '\u{1f600}']) {
      const text = unit.repeat(Math.ceil(length / unit.length));
      expect(sha256Text(text)).toBe(await platform(new TextEncoder().encode(text)));
    }
  });

  test('the SHA-256 of an arbitrary message of many blocks equals that of the noble library', () => {
    const bytes = fc.uint8Array({ maxLength: 2_000, size: 'max' });
    fc.assert(
      fc.property(bytes, (message) => {
        expect(sha256(message)).toEqual(reference(message));
      }),
    );
  });

  test('a copied hash is independent of its source, and a finished hash refuses more bytes', () => {
    const [head, tail] = [new Uint8Array(100).fill(1), new Uint8Array(90).fill(2)];
    const half = new Sha256().update(head);
    const copy = half.clone();
    expect(half.update(tail).digest()).toEqual(reference(Uint8Array.of(...head, ...tail)));
    expect(copy.digest()).toEqual(reference(head));
    expect(() => copy.update(tail)).toThrow();
  });

  test('the hash of consecutive texts equals that of the whole text', () => {
    const parts = ['a'.repeat(100), '', '\u20ac'.repeat(60), 'b'.repeat(16_385)];
    const whole = hashTexts();
    for (const part of parts) whole.add(part);
    expect(whole.end()).toBe(sha256Text(parts.join('')));
  });

  test('the hashes of many texts, structures and nodes equal those of each alone', () => {
    const texts = ['', 'abc', 'x'.repeat(20_000)];
    const nodes = Uint8Array.from({ length: 192 }, (_, at) => at);
    const [one, two] = [nodes.subarray(0, 32), nodes.subarray(32, 64)];
    expect(sha256Texts('p', texts)).toEqual(texts.map((text) => sha256Text(`p${text}`)));
    expect(structureHashes('body', texts)).toEqual(texts.map((text) => structureHash('body', text)));
    expect(hashLeaves(nodes).subarray(32, 64)).toEqual(hashLeaf(two));
    expect(hashPairs(nodes).subarray(0, 32)).toEqual(hashInner(one, two));
    expect(hashPairs(new Uint8Array())).toEqual(new Uint8Array());
  });

  test('the SHA-256 of a message in two pieces equals that of the whole, at any cut', () => {
    const bytes = fc.uint8Array({ maxLength: 200 });
    fc.assert(
      fc.property(bytes, bytes, fc.boolean(), (left, right, isLong) => {
        const one = isLong ? new Uint8Array(16_300 + left.length).fill(7) : left;
        expect(hashInner(one, right)).toEqual(reference(Uint8Array.of(1, ...one, ...right)));
        expect(hashLeaf(one)).toEqual(reference(Uint8Array.of(0, ...one)));
      }),
    );
  });

  test('the hash of a structure differs for each purpose and from the hash of its plain bytes', () => {
    const hashes = [
      structureHash('body', '{}'),
      structureHash('record', '{}'),
      structureHash('policy', '{}'),
      sha256Text('{}'),
    ];
    expect(new Set(hashes).size).toBe(4);
    expect(structureHash('body', '{}')).toBe(sha256Text('sallyport/body/1\n{}'));
  });
});

describe('isHash', () => {
  const hash = sha256Text('');
  test('isHash accepts 64 lower-case hex digits', () => expect(isHash(hash)).toBe(true));
  test.each([[hash.toUpperCase()], [hash.slice(1)], [`${hash}0`], [`${hash}\n`], [`sha256:${hash}`], [null], [1]])(
    'isHash refuses %s',
    (value) => {
      expect(isHash(value)).toBe(false);
    },
  );
  test('hashText and hashBytes convert 32 bytes to hex and back', () => expect(hashText(hashBytes(hash))).toBe(hash));
});

async function platform(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  return hashText(new Uint8Array(await crypto.subtle.digest('SHA-256', bytes)));
}

test('a million parts become one', () => {
  const parts = Array.from({ length: 1_000_000 }, (_, at) => Uint8Array.of(at % 251));
  const whole = concatBytes(parts);
  expect(whole.length).toBe(1_000_000);
  expect([whole[0], whole[250], whole[251], whole.at(-1)]).toEqual([0, 250, 0, 999_999 % 251]);
});
