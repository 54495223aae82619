import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { bundleForNode } from '../../.scripts/steps.mjs';
import { dice } from '../dice.mjs';
import { makeTally } from './tally.mjs';

/** `node`: the binary that runs the writer. `directory`: the folder of the ledger, which then stays; absent: a new folder.
 * @typedef {import('./tally.mjs').KillOptions & {store?: 'directory' | 'sqlite', node?: string, directory?: string}} NodeKillOptions */

/** Kills a process that writes a ledger so many times, each at a random moment of its work. Several series on a file of
 * SQLite may kill their processes at the same time.
 * @param {number} count @param {NodeKillOptions} [options]
 * @returns {Promise<import('./tally.mjs').Tally>} */
export async function killNode(count, options = {}) {
  const { seed = Math.random() * 2 ** 32, signal, onKill, store = 'directory', node = process.execPath } = options;
  const child = await bundleForNode('test/kills/node.ts');
  const directory = options.directory ?? mkdtempSync(join(tmpdir(), 'sallyport-kills-'));
  const tally = makeTally();
  const command = [node, '--disable-warning=ExperimentalWarning', child.file, store, directory];
  const series = { command, tally, roll: dice(seed), signal };
  try {
    for (let kill = 0; kill < count; kill++) {
      // The first life acknowledges a record, so that even a series of a single kill has a record to lose.
      await oneLife(series, 'work', kill === 0 ? 1 : 0);
      onKill?.(tally.sums(kill + 1));
    }
    await oneLife(series, 'look');
    return tally.sums(count);
  } finally {
    if (options.directory === undefined)
      for (const folder of [directory, `${directory}.keys`]) rmSync(folder, { recursive: true, force: true });
    child.remove();
  }
}

/**
 * @typedef {{command: string[], tally: import('./tally.mjs').Counting, roll: () => number,
 *   signal: AbortSignal | undefined}} Series
 */

/** A life, from the first message to the death: after up to twenty acknowledged records, and up to 50 ms more. A count
 * of records is as random on a slow machine as on a fast machine.
 * @param {Series} series @param {'work' | 'look'} mode @param {number} [least] records before its death */
async function oneLife({ command: [node = '', ...words], tally, roll, signal }, mode, least = 0) {
  signal?.throwIfAborted();
  // Another series may write while this life reads.
  tally.begin();
  // A group of its own: an interruption of this process from a terminal is no kill of the other.
  const life = spawn(node, [...words, mode], {
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  });
  const die = () => void life.kill('SIGKILL');
  signal?.addEventListener('abort', die);
  const ended = once(life, 'exit');
  let looked = false;
  let left = Math.max(least, Math.floor(roll() * 21));
  const dieSoon = () => void setTimeout(die, roll() * 50);
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
  // The output ends before the process: until its end it holds the lock of the directory.
  await ended;
  signal?.removeEventListener('abort', die);
  signal?.throwIfAborted();
  if (!looked) throw new Error('The process ended before it said what it found.');
}
