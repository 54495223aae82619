import { expect, test } from 'vitest';
import { unpack } from '../../workers/unpack.ts';

const FORMATS: readonly CompressionFormat[] = ['gzip', 'deflate-raw'];

async function packed(text: string, format: CompressionFormat): Promise<Uint8Array> {
  const stream = new Blob([text]).stream().pipeThrough(new CompressionStream(format));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

test.each(FORMATS)('bytes in %s unfold up to the bound, and no further', async (format) => {
  const bytes = await packed('x'.repeat(5_000), format);
  const whole = await unpack(bytes, format, 5_000);
  expect(typeof whole === 'string' ? whole : whole.length).toBe(5_000);
  expect(await unpack(bytes, format, 4_999)).toBe('tooLarge');
});

test.each(FORMATS)('bytes in %s that are cut, or no packed bytes at all, are damaged', async (format) => {
  const bytes = await packed('a run, and its end', format);
  for (const wrong of [bytes.subarray(0, -1), new Uint8Array([7, 8, 9]), new Uint8Array()])
    expect(await unpack(wrong, format, 1_000)).toBe('damaged');
});

test('bytes in gzip with something behind their end are damaged', async () => {
  const bytes = await packed('a run', 'gzip');
  for (const behind of [await packed('another', 'gzip'), new Uint8Array(8)])
    expect(await unpack(new Uint8Array([...bytes, ...behind]), 'gzip', 1_000)).toBe('damaged');
});

test('a part of a larger buffer unfolds by itself', async () => {
  const bytes = await packed('within', 'gzip');
  const room = new Uint8Array(bytes.length + 20).fill(255);
  room.set(bytes, 10);
  const part = await unpack(room.subarray(10, 10 + bytes.length), 'gzip', 100);
  expect(typeof part === 'string' ? part : new TextDecoder().decode(part)).toBe('within');
});
