import { sha256 as reference } from '@noble/hashes/sha2.js';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { hashBytes, hashText, sha256Hex, sha256Text, sha256Texts, useSha256 } from '../../../../core/hash.ts';
import type { Report } from '../../../../core/ledger/checks.ts';
import { formatExport } from '../../../../core/ledger/export.ts';
import { merkleRoot, merkleRootOf } from '../../../../core/ledger/tree.ts';
import { verifyExport } from '../../../../core/ledger/verify.ts';
import { makeWasmHash, useWasmHash } from '../../../../workers/auditor/hash/use.ts';
import { isTried } from '../../../cases.ts';
import { sampleRun } from '../../../core/ledger/sample.ts';

const utf8 = new TextEncoder();
const inHex = (text: string) => hashText(reference(utf8.encode(text)));
const TEXTS = ['', 'abc', 'x'.repeat(55), 'y'.repeat(20_000), '\u{1f600}'.repeat(99)];

afterEach(() => {
  vi.unstubAllGlobals();
  useSha256(undefined);
});

/** Modules that the engine was asked to compile. */
function watchModules(refuses: (bytes: Uint8Array) => boolean): number[] {
  const asked: number[] = [];
  const { Module, Instance } = WebAssembly;
  class Watched extends Module {
    constructor(bytes: Uint8Array<ArrayBuffer>) {
      asked.push(bytes.length);
      if (refuses(bytes)) throw new WebAssembly.CompileError('refused');
      super(bytes);
    }
  }
  vi.stubGlobal('WebAssembly', { Module: Watched, Instance, CompileError: WebAssembly.CompileError });
  return asked;
}

/** A local variable of the type `v128`. */
const hasSimd = (bytes: Uint8Array) => bytes.includes(0x7b) && bytes.includes(0xfd);

function holds(): void {
  for (const text of TEXTS) expect(sha256Text(text)).toBe(inHex(text));
  expect(sha256Hex(utf8.encode('bytes'))).toBe(inHex('bytes'));
  expect(sha256Texts('p', TEXTS)).toEqual(TEXTS.map((text) => inHex(`p${text}`)));
}

describe('useWasmHash', () => {
  test('one module is compiled at once, and the module with SIMD with the first batch', () => {
    const asked = watchModules(() => false);
    useWasmHash();
    expect(asked).toHaveLength(1);
    holds();
    expect(asked).toHaveLength(2);
  });

  test('an engine without SIMD hashes batches one text at a time', () => {
    const asked = watchModules(hasSimd);
    useWasmHash();
    holds();
    expect(asked).toHaveLength(2);
  });

  test('our own loop goes on where a policy refuses WebAssembly', () => {
    const asked = watchModules(() => true);
    useWasmHash();
    holds();
    expect(asked).toHaveLength(1);
  });

  test('our own loop goes on where there is no WebAssembly', () => {
    vi.stubGlobal('WebAssembly', undefined);
    useWasmHash();
    holds();
  });
});

describe('reports', () => {
  const { run_id, batches } = sampleRun(1, 1);
  const records = batches.flatMap((batch) => batch.records.map((link) => link.text));
  const text = formatExport(
    run_id,
    records,
    batches.flatMap((batch) => batch.payloads),
  );

  test('the report on an intact run is the same with our own loop and with WebAssembly', () => {
    const [own, fast] = both(text);
    expect(fast).toEqual(own);
    expect(own.ok).toBe(true);
  });

  test('the report on each flipped byte of a run is the same with our own loop and with WebAssembly', () => {
    // The report has only JSON values. An assertion for each of thousands of bytes would take longer than the reports.
    const wrong: unknown[] = [];
    for (let at = 0; at < text.length; at++) {
      if (!isTried(at)) continue;
      const flipped = String.fromCharCode(text.charCodeAt(at) ^ (1 << (at % 7)));
      const [own, fast] = both(text.slice(0, at) + flipped + text.slice(at + 1));
      if (own.ok || JSON.stringify(fast) !== JSON.stringify(own)) wrong.push({ at, own, fast });
    }
    expect(wrong).toEqual([]);
  });

  test('the root over hashes is the root over leaves for each size up to 130, with our own loop and with WebAssembly', () => {
    const hashes = Array.from({ length: 130 }, (_, nth) => inHex(`${nth}`));
    for (let size = 0; size <= hashes.length; size++) {
      const leaves = hashes.slice(0, size);
      useSha256(undefined);
      const expected = merkleRoot(leaves.map(hashBytes));
      expect(merkleRootOf(leaves), `${size}`).toEqual(expected);
      useSha256(wasm?.hash, wasm?.batch);
      expect(merkleRootOf(leaves), `${size}`).toEqual(expected);
    }
  });
});

const wasm = makeWasmHash();

/** Reports on the same text with our own loop and with WebAssembly. */
function both(text: string): [Report, Report] {
  useSha256(undefined);
  const own = verifyExport(text);
  useSha256(wasm?.hash, wasm?.batch);
  return [own, verifyExport(text)];
}
