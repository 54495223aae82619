import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { checkGguf } from '../../../../../workers/bridges/models/device/gguf.ts';

const encoder = new TextEncoder();

const u32 = (n: number): Uint8Array => new Uint8Array(new Uint32Array([n]).buffer);
const u64 = (n: number): Uint8Array => new Uint8Array(new BigUint64Array([BigInt(n)]).buffer);
const text = (words: string): Uint8Array[] => [u64(encoder.encode(words).length), encoder.encode(words)];
const textEntry = (key: string, value: string): Uint8Array[] => [...text(key), u32(8), ...text(value)];
const numberEntry = (key: string, value: number): Uint8Array[] => [...text(key), u32(4), u32(value)];
const listEntry = (key: string, words: readonly string[]): Uint8Array[] => [
  ...text(key),
  u32(9),
  u32(8),
  u64(words.length),
  ...words.flatMap(text),
];

const METADATA: readonly Uint8Array[][] = [
  textEntry('general.architecture', 'llama'),
  textEntry('general.name', 'Tiny'),
  listEntry('tokenizer.ggml.tokens', ['a', 'b', 'ä']),
  numberEntry('llama.context_length', 2048),
  numberEntry('llama.block_count', 3),
  numberEntry('llama.embedding_length', 64),
  numberEntry('llama.attention.head_count', 4),
  numberEntry('llama.attention.head_count_kv', 2),
];
/** A tensor of 64 values of two bytes, 32 bytes behind the head. */
const TENSOR: readonly Uint8Array[] = [...text('w'), u32(1), u64(64), u32(1), u64(32)];

async function bytesOf(parts: readonly Uint8Array[]): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await new Blob(parts as Uint8Array<ArrayBuffer>[]).arrayBuffer());
}

async function modelOf(metadata = METADATA, data = 160): Promise<Blob> {
  const head = await bytesOf([
    encoder.encode('GGUF'),
    u32(3),
    u64(1),
    u64(metadata.length),
    ...metadata.flat(),
    ...TENSOR,
  ]);
  const padding = new Uint8Array(Math.ceil(head.length / 32) * 32 - head.length);
  return new Blob([head, padding, new Uint8Array(data)]);
}

const OPTIONS = { contextTokens: 100 };
const MB = 2 ** 20;

describe('the head of a GGUF file', () => {
  test('a whole file tells its name, its context, and the memory for file, context and engine', async () => {
    const file = await modelOf();
    const cache = 100 * 2 * 3 * 2 * (16 + 16);
    expect(await checkGguf(file, OPTIONS)).toEqual({
      name: 'Tiny',
      architecture: 'llama',
      contextTokens: 2048,
      memoryBytes: file.size + cache + 160 * MB,
    });
  });

  test('a file that lacks the last byte of its last tensor is cut', async () => {
    const file = await modelOf();
    const cut = checkGguf(file.slice(0, file.size - 1), OPTIONS);
    const details = { fault: 'cut', used: file.size - 1, limit: file.size };
    await expect(cut).rejects.toMatchObject({ code: 'model_failed', retryable: false, details });
  });

  test('a file that ends inside its head is cut', async () => {
    const file = await modelOf();
    for (const bytes of [10, 30, 60, 200])
      await expect(checkGguf(file.slice(0, bytes), OPTIONS)).rejects.toMatchObject({ details: { fault: 'cut' } });
  });

  test('a text, a version of another byte order, a head without an architecture or with no alignment are no GGUF', async () => {
    const other = await bytesOf([encoder.encode('GGUF'), new Uint8Array([0, 0, 0, 3]), u64(0), u64(0)]);
    const heads = [[METADATA[1] ?? []], [...METADATA, numberEntry('general.alignment', 0)]];
    const files = [
      new Blob(['{"model":"tiny"}']),
      new Blob([other]),
      ...(await Promise.all(heads.map((each) => modelOf(each)))),
    ];
    for (const file of files)
      await expect(checkGguf(file, OPTIONS)).rejects.toMatchObject({ details: { fault: 'not_gguf' } });
  });

  test('lists in lists end after four levels', async () => {
    const nested = [...text('deep'), u32(9), ...Array.from({ length: 9 }, () => [u32(9), u64(1)]).flat()];
    await expect(checkGguf(await modelOf([nested]), OPTIONS)).rejects.toMatchObject({ details: { fault: 'not_gguf' } });
  });

  test('a model that needs more than the memory of an engine, or of the device, is too large', async () => {
    const file = await modelOf();
    const needed = checkGguf(file, { contextTokens: 30_000_000 });
    await expect(needed).rejects.toMatchObject({ details: { fault: 'too_large', limit: 4096 * MB } });
    const small = checkGguf(file, { contextTokens: 100, memoryBytes: 100 * MB });
    await expect(small).rejects.toMatchObject({ details: { fault: 'too_large', limit: 100 * MB } });
  });

  test('a head that names a billion entries ends with the bytes of the file', async () => {
    const head = await bytesOf([encoder.encode('GGUF'), u32(3), u64(1e9), u64(1e9), ...METADATA.flat()]);
    await expect(checkGguf(new Blob([head]), OPTIONS)).rejects.toMatchObject({ details: { fault: 'cut' } });
  });

  test('any bytes behind the magic are refused with a fault or read', async () => {
    const start = await bytesOf([encoder.encode('GGUF'), u32(3), u64(1), u64(2)]);
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 200 }), async (rest) => {
        const found = await checkGguf(new Blob([start, new Uint8Array(rest)]), OPTIONS).catch(
          (error: unknown) => error,
        );
        expect(found).toMatchObject({ details: { fault: expect.stringMatching(/^(cut|not_gguf|too_large)$/) } });
      }),
      { numRuns: 300 },
    );
  });
});
