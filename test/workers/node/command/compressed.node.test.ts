import { readFileSync } from 'node:fs';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { makeCompress } from '../../../../workers/node/command/site.ts';

const PLAIN = readFileSync('core/run/transition.ts');

describe('makeCompress', () => {
  test('an answer in Brotli is made smaller while no request comes', async () => {
    const compress = makeCompress(1);
    const first = await compress(PLAIN, 'hash', 'br');
    expect(brotliDecompressSync(first)).toEqual(PLAIN);
    await expect.poll(async () => (await compress(PLAIN, 'hash', 'br')).length).toBeLessThan(first.length);
    expect(brotliDecompressSync(await compress(PLAIN, 'hash', 'br'))).toEqual(PLAIN);
  });

  test('an answer stays the same while requests come', async () => {
    const compress = makeCompress(60_000);
    const first = await compress(PLAIN, 'hash', 'br');
    expect(await compress(PLAIN, 'hash', 'br')).toBe(first);
  });

  test('an answer in gzip is made once', async () => {
    const compress = makeCompress(1);
    const first = await compress(PLAIN, 'hash', 'gzip');
    expect(gunzipSync(first)).toEqual(PLAIN);
    expect(await compress(PLAIN, 'hash', 'gzip')).toBe(first);
  });
});
