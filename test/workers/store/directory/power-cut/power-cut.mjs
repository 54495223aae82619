// `npm run test:long -- power-cut`: simulates a power cut at every write and flush of a log, and opens the remains.

import { setImmediate } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { SEED, start } from '../../../../../.scripts/long/command.mjs';
import { bundleForNode } from '../../../../../.scripts/steps.mjs';

/** @typedef {import('./cut.ts').Cut} Cut */

/** @param {import('../../../../../.scripts/long/types.ts').Work} work */
async function run({ numbers, signal, report, progress, say }) {
  const { cuts = 0, seed: first = 0 } = numbers;
  const sums = { cuts: 0, seed: first, faults: 0, failed: 0, unflushed: 0, witnessed: 0 };
  report({ ...sums });
  progress(0, cuts);
  const bundle = await bundleForNode('test/workers/store/directory/power-cut/cuts.ts');
  try {
    /** @type {{makeReference: () => Promise<unknown>, cutsOf: (seed: number, reference: unknown) => AsyncIterable<Cut>}} */
    const { cutsOf, makeReference } = await import(pathToFileURL(bundle.file).href);
    const reference = await makeReference();
    for (let seed = first; sums.cuts < cuts; seed++) {
      for await (const cut of cutsOf(seed, reference)) {
        add(sums, cut);
        for (const fault of cut.faults) say(`seed ${seed}, cut ${sums.cuts}: ${fault}`);
        report({ ...sums });
        progress(sums.cuts, cuts, `${sums.faults} faults`);
        if (sums.cuts === cuts) break;
        // Lets an interruption be heard: a log in memory never waits.
        await setImmediate();
        signal.throwIfAborted();
      }
    }
  } finally {
    bundle.remove();
  }
  return sums.faults === 0;
}

/** @param {{cuts: number, faults: number, failed: number, unflushed: number, witnessed: number}} sums
 * @param {Cut} cut */
function add(sums, { faults, unflushed, witnessed }) {
  sums.cuts++;
  sums.faults += faults.length;
  if (faults.length > 0) sums.failed++;
  if (unflushed > 0) sums.unflushed++;
  if (witnessed) sums.witnessed++;
}

await start({
  name: 'power-cut',
  summary: 'Plays power cuts at every write and flush of a log in a directory, and opens what each leaves.',
  numbers: {
    cuts: { help: 'Cuts to play.', min: 1, max: 1_000_000_000, default: 100_000 },
    seed: { ...SEED, max: SEED.max - 1_000_000 },
  },
  names: {},
  time: '100,000 cuts take about 5 minutes.',
  members: {
    cuts: 'Cuts that were played.',
    seed: 'Seed of the first log; each further log has the next number.',
    faults: 'Rules that did not hold: acknowledged batches that are gone, half batches, erased texts that are there.',
    failed: 'Cuts with a fault.',
    unflushed: 'Cuts that left more than was acknowledged as on the disk.',
    witnessed: 'Cuts that left the witness beside the log readable.',
  },
  run,
});
