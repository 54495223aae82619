// A program that plays a long run and many short runs over a store on the disk, and prints the MB that each holds.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { openPlayer } from './player.mjs';

const [, , dist = '', engine = '', counts = ''] = process.argv;
/** @type {typeof import('./held.mjs').COUNTS} */
const { early, steps, runs } = JSON.parse(counts);
const directory = mkdtempSync(join(tmpdir(), 'sallyport-held-'));
const addressOf = (/** @type {string} */ name) => pathToFileURL(join(dist, name)).href;
const store =
  engine === 'sqlite'
    ? (await import(addressOf('sqlite.js'))).openSqlite({ path: join(directory, 'ledger.sqlite') })
    : { directory };
const player = await openPlayer(addressOf('node.js'), { store });

/** MB that this thread holds behind a full collection. */
function heldMb() {
  /** @type {any} */ (globalThis).gc();
  const { heapUsed, external } = process.memoryUsage();
  return (heapUsed + external) / 1e6;
}

/** @param {number} count */
async function play(count) {
  for (let n = 0; n < count; n++) await player.play(1);
  return heldMb();
}

/** @type {number[]} */
const sizes = [];
await player.play(early.steps + steps + 1, async (step) => {
  if (step === early.steps || step === early.steps + steps) sizes.push(heldMb());
});
const [first, last] = [await play(early.runs), await play(runs)];
process.stdout.write(
  JSON.stringify({ steps: (sizes[1] ?? Number.NaN) - (sizes[0] ?? Number.NaN), runs: last - first }),
);
await player.close();
rmSync(directory, { recursive: true, force: true });
