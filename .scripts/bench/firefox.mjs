import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { commandOf, killGroup } from '../browser-process.mjs';
import { buildForWorker } from './build.mjs';
import { serve } from './serve.mjs';

/** @typedef {import('../../test/bench/table.ts').Row} Row */

/** The clock as fine as the engine has it: a step takes less than the grain of other pages. */
const PREFERENCES = [['privacy.reduceTimerPrecision', 'false']];

/** Measures in a worker of Firefox with a profile on disk.
 * @param {{names: readonly string[], signal: AbortSignal, headline: (engine: string) => void,
 *   onSection: (rows: Row[], section: string) => void}} work @returns {Promise<void>} */
export async function measureInFirefox({ names, signal, headline, onSection }) {
  await buildForWorker();
  /** @type {(said: any) => void} */
  let hear = () => undefined;
  const server = await serve((said) => hear(said));
  const profile = mkdtempSync(join(tmpdir(), 'sallyport-bench-'));
  const [path, args] = commandOf('firefox', PREFERENCES)(profile, `${server.address}#${names.join(',')}`);
  const browser = spawn(path, args, { stdio: 'ignore', detached: true });
  const ended = new Promise((resolve) => browser.once('exit', resolve));
  const die = () => killGroup(browser.pid);
  process.once('exit', die);
  try {
    await new Promise((resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason));
      browser.once('error', reject);
      void ended.then(() => reject(new Error('Firefox ended.')));
      hear = ({ agent, rows, section, failed, done }) => {
        if (agent !== undefined) headline(`Firefox ${/Firefox\/(\S+)/.exec(agent)?.[1] ?? ''}`);
        if (rows !== undefined) onSection(rows, section);
        if (failed !== undefined) reject(new Error(failed));
        if (done === true) resolve(undefined);
      };
    });
  } finally {
    die();
    await ended;
    process.off('exit', die);
    server.close();
    rmSync(profile, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  }
}
