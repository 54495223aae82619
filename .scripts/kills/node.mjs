import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { build, runnerImport } from 'vite';
import { ROOT } from '../steps.mjs';
import { makeTally } from './tally.mjs';

const CACHE = join(ROOT, 'node_modules/.cache/sallyport');

/** Kills a process that writes a directory so many times, each at a random moment of its work.
 * @param {number} count @returns {Promise<import('./tally.mjs').Tally>} */
export async function killNode(count) {
  const child = await bundle();
  const directory = mkdtempSync(join(tmpdir(), 'sallyport-kills-'));
  const tally = makeTally();
  try {
    for (let kill = 0; kill < count; kill++) await oneLife(child, directory, tally, 'work');
    await oneLife(child, directory, tally, 'look');
    return tally.end(count);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/**
 * From its first word to its death: after none to twenty records that it acknowledged, and up to 50 ms more. A count of
 * records is as random on a slow machine as on a fast one.
 * @param {string} child @param {string} directory @param {import('./tally.mjs').Counting} tally
 * @param {'work' | 'look'} mode */
async function oneLife(child, directory, tally, mode) {
  const life = spawn(process.execPath, [child, directory, mode], { stdio: ['ignore', 'pipe', 'inherit'] });
  let looked = false;
  let left = Math.floor(Math.random() * 21);
  const dieSoon = () => void setTimeout(() => life.kill('SIGKILL'), Math.random() * 50);
  for await (const line of createInterface({ input: life.stdout })) {
    const said = JSON.parse(line);
    if (said.found !== undefined) {
      tally.compare(said.found);
      looked = true;
      if (mode === 'work' && left === 0) dieSoon();
    } else {
      tally.acknowledge(said.acknowledged);
      if (--left === 0) dieSoon();
    }
  }
  if (!looked) throw new Error('The process ended before it said what it found.');
}

/** The process as one file, as Node runs it.
 * @returns {Promise<string>} */
async function bundle() {
  /** @type {{module: typeof import('../vite/thread.ts')}} */
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
