// `npm run test:long -- chaos`: runs that are asked, denied, revoked and killed by chance, each from a seed of its own.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { SEED, start } from '../../.scripts/long/command.mjs';
import { bundleForNode } from '../../.scripts/steps.mjs';

/** @typedef {import('./played.ts').Played} Played */

/** A life takes seconds; after this time it counts as hanging. */
const LIFE_MS_MAX = 120_000;

/** @param {import('../../.scripts/long/types.ts').Work} work */
async function run({ numbers, signal, report, progress, say }) {
  const { lives = 0, seed = 0 } = numbers;
  const sums = { lives: 0, seed, faults: 0, failed: 0, kills: 0, records: 0, receipts: 0 };
  report({ ...sums });
  progress(0, lives);
  const bundle = await bundleForNode('test/chaos/play.ts');
  try {
    /** @type {{play: (seed: number, base: string) => Promise<Played>}} */
    const { play } = await import(pathToFileURL(bundle.file).href);
    for (let life = 0; life < lives; life++) {
      const faults = await played((base) => play(seed + life, base), sums, signal);
      for (const fault of faults) say(`seed ${seed + life}: ${fault}`);
      sums.lives++;
      sums.faults += faults.length;
      if (faults.length > 0) sums.failed++;
      report({ ...sums });
      progress(life + 1, lives, `${sums.kills} kills, ${sums.faults} faults`);
    }
  } finally {
    bundle.remove();
  }
  return sums.faults === 0;
}

/** Plays a life, adds it to the sums, and prints its faults; an exception in a life is a fault. Rejects when it is
 * interrupted.
 * @param {(base: string) => Promise<Played>} play @param {{kills: number, records: number, receipts: number}} sums
 * @param {AbortSignal} signal @returns {Promise<readonly string[]>} */
async function played(play, sums, signal) {
  signal.throwIfAborted();
  const base = mkdtempSync(join(tmpdir(), 'sallyport-chaos-'));
  try {
    const { kills, records, receipts, faults } = await inTime(play(base), signal);
    sums.kills += kills;
    sums.records += records;
    sums.receipts += receipts;
    return faults;
  } catch (error) {
    signal.throwIfAborted();
    return [error instanceof Error ? (error.stack ?? error.message) : String(error)];
  } finally {
    rmSync(base, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  }
}

/** @template T @param {Promise<T>} life @param {AbortSignal} signal @returns {Promise<T>} */
async function inTime(life, signal) {
  /** @type {() => void} */
  let stop = () => undefined;
  /** @type {Promise<never>} */
  const late = new Promise((_, reject) => {
    const timer = setTimeout(() => reject(new Error('The life did not end.')), LIFE_MS_MAX);
    const abort = () => reject(signal.reason);
    signal.addEventListener('abort', abort);
    stop = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', abort);
    };
  });
  return Promise.race([life, late]).finally(stop);
}

await start({
  name: 'chaos',
  summary: 'Plays runs that are asked, denied, revoked and killed by chance, and checks the ledger of each.',
  numbers: {
    lives: {
      help: 'Runs to play. The first has the seed, each further run the next number.',
      min: 1,
      max: 1_000_000,
      default: 500,
    },
    seed: { ...SEED, max: SEED.max - 1_000_000 },
  },
  names: {},
  time: '500 lives take about 20 minutes.',
  members: {
    lives: 'Runs that were played.',
    seed: 'Seed of the first.',
    faults: 'Rules that a ledger broke, and errors.',
    failed: 'Lives with a fault.',
    kills: 'How often a process was killed.',
    records: 'Records in the ledgers at the end.',
    receipts: 'Receipts among them: one for each proposal.',
  },
  run,
});
