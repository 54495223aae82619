import fc from 'fast-check';
import { expect, test } from 'vitest';
import { encodeFrames } from '../../../../workers/store/journal/frame.ts';
import { encodeHeader } from '../../../../workers/store/journal/header.ts';
import { bytesAsFile, frames, framesIn } from '../../../../workers/store/journal/journal.ts';

const tables = (length: number) => [{ table: 'kept' as const, key: 'k', value: 'v'.repeat(length) }];
const frame = (length: number, state: 'live' | 'bound') => {
  const [bytes = new Uint8Array()] = encodeFrames({ tables: tables(length) });
  if (state === 'bound') bytes[3] = 0x32;
  return bytes;
};

/** Places of all frames, and the place where they end. */
function all(bytes: Uint8Array): unknown[] {
  const found = frames(bytesAsFile(bytes));
  const places: unknown[] = [];
  let next = found.next();
  for (; next.done !== true; next = found.next()) places.push([next.value.at, next.value.body.join()]);
  return [...places, next.value];
}

async function allIn(bytes: Uint8Array<ArrayBuffer>, window: number): Promise<unknown[]> {
  const found = framesIn(new Blob([bytes]), window);
  const places: unknown[] = [];
  let next = await found.next();
  for (; next.done !== true; next = await found.next()) places.push([next.value.at, next.value.body.join()]);
  return [...places, next.value];
}

test('framesIn finds the frames that the function frames finds, for any window and any damage', async () => {
  const frameOf = fc.tuple(fc.nat(300), fc.constantFrom('live' as const, 'bound' as const));
  const damage = fc.record({ cut: fc.nat(40), at: fc.nat(), bit: fc.nat(7), flips: fc.boolean() });
  await fc.assert(
    fc.asyncProperty(
      fc.array(frameOf, { maxLength: 8 }),
      damage,
      fc.integer({ min: 13, max: 700 }),
      async (...given) => {
        const [parts, { cut, at, bit, flips }, window] = given;
        const whole = await new Blob(
          parts.map(([length, state]) => new Uint8Array(frame(length, state))),
        ).arrayBuffer();
        const bytes = new Uint8Array(whole.slice(0, Math.max(0, whole.byteLength - cut)));
        const place = at % Math.max(1, bytes.length);
        if (flips && bytes.length > 0) bytes[place] = (bytes[place] ?? 0) ^ (1 << bit);
        expect(await allIn(bytes, window)).toEqual(all(bytes));
      },
    ),
  );
});

test('framesIn ends at a frame that claims to be longer than the blob', async () => {
  const lying = encodeHeader({ state: 'live', length: 0xffff_ffff, crc: 0 });
  expect(await allIn(new Uint8Array([...frame(5, 'live'), ...lying]), 16)).toEqual([
    [0, expect.any(String)],
    frame(5, 'live').length,
  ]);
});

test('framesIn reads little of a blob behind a bound frame that no frame follows', async () => {
  const bytes = new Uint8Array([...frame(5, 'bound'), ...new Uint8Array(100_000)]);
  const blob = new Blob([bytes]);
  const slice = blob.slice.bind(blob);
  let most = 0;
  blob.slice = (from = 0, to = blob.size) => {
    most = Math.max(most, to - from);
    return slice(from, to);
  };
  expect(await framesIn(blob, 16).next()).toEqual({ done: true, value: 0 });
  expect(most).toBeLessThan(200);
});

test('framesIn reads less than four times the bytes of a long chain of small bound frames', async () => {
  const one = frame(5, 'bound');
  const blob = new Blob([...Array.from({ length: 2_000 }, () => one), frame(5, 'live')] as Uint8Array<ArrayBuffer>[]);
  const slice = blob.slice.bind(blob);
  let read = 0;
  blob.slice = (from = 0, to = blob.size) => {
    read += Math.min(to, blob.size) - from;
    return slice(from, to);
  };
  expect(await framesIn(blob, 16).next()).toMatchObject({ done: false, value: { at: 0 } });
  expect(read).toBeLessThan(4 * blob.size);
});
