import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { strictEvents } from '../../../../../workers/bridges/mcp/wire/fetch.ts';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

const LINES = 10_000;
const CHUNKS = 50;

function heldBytes(): number {
  collect();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

it('an event of half a million empty lines holds no more than its bytes', async () => {
  const chunk = new TextEncoder().encode('data:\n'.repeat(LINES));
  const before = heldBytes();
  let [left, held] = [CHUNKS, 0];
  const body = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        if (left-- > 0) return controller.enqueue(chunk.slice());
        held = heldBytes() - before;
        controller.close();
      },
    },
    { highWaterMark: 0 },
  );
  await new Response(strictEvents(body, 7, () => undefined)).text();
  expect(held).toBeLessThan(4 * LINES * CHUNKS + (8 << 20));
});
