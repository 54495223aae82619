// `npm run kills [-- --node|--chromium|--firefox] [count]`: kills a writer from outside at random moments, and counts.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import { build, runnerImport } from 'vite';
import { ROOT } from './steps.mjs';

const CACHE = join(ROOT, 'node_modules/.cache/sallyport');

/** @typedef {{hashes: string[], broken: string[], twice: string[], interrupted: number, open: number}} Found */
/** @typedef {{kills: number, acknowledged: number, lost: number, broken: number, twice: number, interrupted: number, openSteps: number}} Tally */

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const count = Number(process.argv.slice(2).find((each) => /^\d+$/.test(each)) ?? 100);
  print(`Node, a directory`, await killNode(count));
}

/** @param {string} title @param {Tally} tally */
function print(title, tally) {
  console.log(`${title}: ${tally.kills} kills, ${tally.acknowledged} records acknowledged`);
  console.log(`  lost ${tally.lost}, broken ${tally.broken}, run twice ${tally.twice}`);
  console.log(`  steps closed as interrupted ${tally.interrupted}, still open ${tally.openSteps}`);
}

/** Kills a process that writes a directory so many times, each at a random moment of its work.
 * @param {number} count @returns {Promise<Tally>} */
export async function killNode(count) {
  const child = await bundle();
  const directory = mkdtempSync(join(tmpdir(), 'sallyport-kills-'));
  const ledger = makeLedger();
  try {
    for (let kill = 0; kill < count; kill++) await oneLife(child, directory, ledger, 'work');
    await oneLife(child, directory, ledger, 'look');
    return ledger.tally(count);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** What was acknowledged, held against what is found: kept outside of whatever is killed. */
export function makeLedger() {
  /** @type {Set<string>} */
  const acknowledged = new Set();
  const sums = { lost: 0, broken: 0, twice: 0, interrupted: 0, openSteps: 0 };
  return {
    /** @param {string} hash */
    acknowledge: (hash) => void acknowledged.add(hash),
    /** @param {Found} found */
    compare({ hashes, broken, twice, interrupted, open }) {
      const there = new Set(hashes);
      sums.lost += [...acknowledged].filter((hash) => !there.has(hash)).length;
      sums.broken += broken.length;
      sums.twice += twice.length;
      Object.assign(sums, { interrupted, openSteps: open });
    },
    /** @param {number} kills @returns {Tally} */
    tally: (kills) => ({ kills, acknowledged: acknowledged.size, ...sums }),
  };
}

/** From its first word to its death, between none and a few hundred milliseconds of work later.
 * @param {string} child @param {string} directory @param {ReturnType<typeof makeLedger>} ledger
 * @param {'work' | 'look'} mode */
async function oneLife(child, directory, ledger, mode) {
  const life = spawn(process.execPath, [child, directory, mode], { stdio: ['ignore', 'pipe', 'inherit'] });
  let looked = false;
  for await (const line of createInterface({ input: life.stdout })) {
    const said = JSON.parse(line);
    if (said.found !== undefined) {
      ledger.compare(said.found);
      looked = true;
      if (mode === 'work') setTimeout(() => life.kill('SIGKILL'), Math.random() * 250);
    } else ledger.acknowledge(said.acknowledged);
  }
  if (!looked) throw new Error('The process ended before it said what it found.');
}

/** The process as one file, as Node runs it.
 * @returns {Promise<string>} */
async function bundle() {
  /** @type {{module: typeof import('./vite/thread.ts')}} */
  const { module } = await runnerImport(join(ROOT, '.scripts/vite/thread.ts'));
  const outDir = join(CACHE, `kills-${process.pid}`);
  await build({
    configFile: false,
    root: ROOT,
    logLevel: 'warn',
    plugins: [module.thread(CACHE)],
    build: {
      ssr: true,
      target: 'node20',
      outDir,
      rolldownOptions: { input: { node: join(ROOT, 'test/kills/node.ts') }, output: { codeSplitting: false } },
    },
  });
  return join(outDir, 'node.js');
}
