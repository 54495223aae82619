import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sha256 as reference } from '@noble/hashes/sha2.js';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { contentHash } from '../../../core/content/text.ts';
import { hashInner, hashLeaf, hashText, sha256, sha256Hex, sha256Text, useSha256 } from '../../../core/hash.ts';
import { verifyExport } from '../../../core/ledger/verify.ts';
import { makeWasmHash } from '../../../workers/auditor/hash/use.ts';
import { useNodeHash } from '../../../workers/node/hash.ts';
import { crc32, useCrc32 } from '../../../workers/store/journal/header.ts';
import { isTried } from '../../cases.ts';

const EXPORTS = join(import.meta.dirname, '../../vectors/exports');
const utf8 = new TextEncoder();

const inHex = (bytes: Uint8Array) => hashText(reference(bytes));

beforeEach(useNodeHash);
afterEach(useNodeHash);

test("Node's CRC-32 equals that of our own loop", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 2_000, size: 'max' }), (bytes) => {
      useCrc32(undefined);
      const own = crc32(bytes);
      useNodeHash();
      expect(crc32(bytes)).toBe(own);
    }),
  );
});

describe("Node's SHA-256", () => {
  test("Node's hash of bytes and of a node of a tree equals that of the noble library", () => {
    const bytes = fc.uint8Array({ maxLength: 2_000, size: 'max' });
    fc.assert(
      fc.property(bytes, bytes, (one, other) => {
        expect(sha256(one)).toEqual(reference(one));
        expect(sha256Hex(one)).toBe(inHex(one));
        expect(hashLeaf(one)).toEqual(reference(Uint8Array.of(0, ...one)));
        expect(hashInner(one, other)).toEqual(reference(Uint8Array.of(1, ...one, ...other)));
      }),
    );
  });

  test("Node's hash of a text equals that of the noble library, half a surrogate pair included", () => {
    const text = fc.string({ unit: fc.oneof(fc.string({ unit: 'binary' }), fc.constant('\ud800')), maxLength: 120 });
    fc.assert(
      fc.property(text, fc.constantFrom(1, 50), (part, times) => {
        const whole = part.repeat(times);
        expect(sha256Text(whole)).toBe(inHex(utf8.encode(whole)));
      }),
    );
  });

  test('a view into a larger buffer is hashed without the bytes around it', () => {
    const whole = Uint8Array.from({ length: 300 }, (_, at) => at);
    expect(sha256Hex(whole.subarray(100, 200))).toBe(inHex(whole.slice(100, 200)));
  });

  test('sections are hashed by our own loop, and every payload by the function of the host', () => {
    const seen: string[] = [];
    useSha256((bytes) => {
      seen.push(new TextDecoder().decode(bytes));
      return inHex(bytes);
    });
    expect(contentHash('section')).toBe(inHex(utf8.encode('section')));
    expect(sha256Text('payload')).toBe(inHex(utf8.encode('payload')));
    expect(seen).toEqual(['abc', 'payload']);
  });

  test('useSha256 refuses a function that does not compute SHA-256', () => {
    expect(() => useSha256(() => '0'.repeat(64))).toThrow('SHA-256');
    expect(sha256Text('abc')).toBe(inHex(utf8.encode('abc')));
  });
});

describe('reports', () => {
  const inWasm = makeWasmHash();
  const all = (text: string) => {
    const ofNode = verifyExport(text);
    useSha256(inWasm?.hash, inWasm?.batch);
    const wasm = verifyExport(text);
    useSha256(undefined);
    const own = verifyExport(text);
    useNodeHash();
    return [ofNode, wasm, own];
  };

  test.each(readdirSync(EXPORTS))('the report on %s is the same with each hash', (file) => {
    const [ofNode, wasm, own] = all(readFileSync(join(EXPORTS, file), 'utf8'));
    expect(ofNode).toEqual(own);
    expect(wasm).toEqual(own);
  });

  test('the report on each flipped byte of an export is the same with each hash', () => {
    const text = readFileSync(join(EXPORTS, 'end-cut.jsonl'), 'utf8');
    for (let at = 0; at < text.length; at++) {
      if (!isTried(at)) continue;
      const flipped = String.fromCharCode(text.charCodeAt(at) ^ (1 << (at % 7)));
      const [ofNode, wasm, own] = all(text.slice(0, at) + flipped + text.slice(at + 1));
      expect(ofNode, `byte ${at}`).toEqual(own);
      expect(wasm, `byte ${at}`).toEqual(own);
    }
  });
});
