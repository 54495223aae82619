/** A process of `npm run test:long -- load --measure scale`: it fills a store, and tells each size that it has measured. */
import { writeSync } from 'node:fs';
import { unwrap } from '../../core/sallyport-error.ts';
import { type GrownSize, measureGrowth } from './growth.ts';
import type { GrowthOrder } from './measure-order.ts';
import { openingsOf } from './place.ts';

/** A line of this process. `isWhole` is false where the time was over before the last size. */
export type GrowthLine = { readonly filled: number } | GrownSize | { readonly isWhole: boolean };

const order = JSON.parse(process.argv[2] ?? '{}') as GrowthOrder;
const say = (line: GrowthLine): void => void writeSync(1, `${JSON.stringify(line)}\n`);

const open = openingsOf(order.place);
const began = performance.now();
const isWhole = await measureGrowth({
  ...order,
  open: async () => unwrap(await open()),
  signal: new AbortController().signal,
  isLate: () => performance.now() - began > order.ms,
  onFill: (filled) => say({ filled }),
  onSize: say,
});
say({ isWhole });
process.exit(0);
