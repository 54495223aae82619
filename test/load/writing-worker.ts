/** A process of `npm run test:long -- load --measure scale`: it writes runs into a store beside other processes. */
import { writeSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { unwrap } from '../../core/sallyport-error.ts';
import { sampleRun } from '../../workers/testing/store/sample.ts';
import type { WritingOrder } from './measure-order.ts';
import type { MeasuredLine } from './measured-process.ts';
import { openingsOf } from './place.ts';

const order = JSON.parse(process.argv[2] ?? '{}') as WritingOrder;
const say = (line: MeasuredLine): void => void writeSync(1, `${JSON.stringify(line)}\n`);

const runs = order.runs.map((run) => sampleRun(run, order.steps, false));
const opened = await openingsOf(order.place)();
say(opened.ok ? { opened: true } : { refused: opened.refusal.code });
for await (const _ of createInterface({ input: process.stdin })) {
  const store = unwrap(opened);
  const began = performance.now();
  await Promise.all(
    runs.map(async ({ run_id, batches }) => {
      for (const batch of batches) unwrap(await store.append({ run_id, ...batch }, 'strict'));
    }),
  );
  say({ ms: performance.now() - began });
}
