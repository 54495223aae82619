import { afterEach, describe, expect, it, vi } from 'vitest';
import { decodeUtf8 } from '../../../../core/index.ts';
import { packText } from '../../../../web/playground/parts/pack-text.ts';
import { unpackBytes } from '../../../../web/playground/parts/packed-text.ts';

const BOUNDS = { charactersMax: 128 << 10, bytesMax: 2 << 20 };
/** What one piece of a packed text may unfold to, at most: deflate shrinks a text to a thousandth. */
const PIECE_UNFOLDED = 1024 * 1032;

afterEach(() => vi.unstubAllGlobals());

/** Counts the bytes that come out of the streams that unpack from now on. */
function countUnpacked(): { readonly bytes: number } {
  const counted = { bytes: 0 };
  const transform = (chunk: Uint8Array, controller: TransformStreamDefaultController<Uint8Array>): void => {
    counted.bytes += chunk.length;
    controller.enqueue(chunk);
  };
  const Real = DecompressionStream;
  vi.stubGlobal(
    'DecompressionStream',
    class {
      readonly writable: WritableStream<BufferSource>;
      readonly readable: ReadableStream<Uint8Array>;
      constructor(format: CompressionFormat) {
        const { writable, readable } = new Real(format);
        this.writable = writable;
        this.readable = readable.pipeThrough(new TransformStream({ transform }));
      }
    },
  );
  return counted;
}

describe('a packed text', () => {
  it('a text within the bounds unpacks whole', async () => {
    const text = 'a run, and its end. '.repeat(9_000);
    const counted = countUnpacked();
    const read = await unpackBytes(await packText(text), BOUNDS);
    expect(read.ok && decodeUtf8(read.bytes)).toBe(text);
    expect(counted.bytes).toBe(text.length);
  });

  it('unpacking stops at the bound, and the rest of a packed text is not unfolded', async () => {
    const packed = await packText('x'.repeat(16 << 20));
    expect(packed.length).toBeLessThan(BOUNDS.charactersMax);
    const counted = countUnpacked();
    const read = await unpackBytes(packed, BOUNDS);
    expect(read).toMatchObject({ ok: false, reason: expect.stringContaining('2,097,152 bytes') });
    await new Promise((turn) => setTimeout(turn, 50));
    expect(counted.bytes).toBeGreaterThan(BOUNDS.bytesMax);
    expect(counted.bytes).toBeLessThan(BOUNDS.bytesMax + 4 * PIECE_UNFOLDED);
  });
});
