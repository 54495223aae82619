import { spawn } from 'node:child_process';
import { appendFileSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { commandOf, killGroup } from '../../.scripts/browsers.mjs';
import { ROOT } from '../../.scripts/steps.mjs';
import { dice } from '../dice.mjs';
import { makeTally } from './tally.mjs';

/** Remainder of LevelDB's log after some kills: a record's header of seven bytes without a body. */
const TORN = Uint8Array.of(1, 2, 3, 4, 64, 0, 1);
/**
 * Number of kills after which the log is torn by hand, so that a series of a hundred meets a case that occurs once in
 * sixty.
 */
const TEAR_EVERY = 10;
/**
 * Lives take turns: in some the database is deleted before the ledger is opened, in some a kernel ends and another is
 * opened beside the kernel that writes on.
 */
const MARKS = ['', '', '-end', '', '', '-wipe'];
/** Time for the first message of a browser on a busy machine; after it the browser counts as broken. */
const PATIENCE_MS = 180_000;

/** Kills a browser so many times, with every process it has, each at a random moment of its page's work.
 * @param {string} name @param {number} count @param {import('./tally.mjs').KillOptions} [options]
 * @returns {Promise<import('./tally.mjs').Tally>} */
export async function killBrowser(name, count, { seed = Math.random() * 2 ** 32, signal, onKill } = {}) {
  const command = commandOf(name);
  const profile = mkdtempSync(join(tmpdir(), 'sallyport-kills-'));
  const tally = makeTally();
  const server = await serve(() => tally.toldLast());
  const series = { command, profile, server, tally, roll: dice(seed), signal };
  try {
    for (let kill = 0; kill < count; kill++) {
      if (name === 'chromium' && kill % TEAR_EVERY === TEAR_EVERY - 1 && tear(profile)) tally.tear();
      await oneLife(series, kill, MARKS[kill % MARKS.length]);
      onKill?.(tally.sums(kill + 1));
    }
    await oneLife(series);
  } catch (error) {
    // the files of a failure tell more than its message
    if (!signal?.aborted) throw new Error(`${String(error)} The profile is kept in ${profile}.`, { cause: error });
    remove(profile);
    throw error;
  } finally {
    await server.close();
  }
  remove(profile);
  return tally.sums(count);
}

/** @param {string} profile */
function remove(profile) {
  rmSync(profile, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
}

/**
 * @typedef {{command: (profile: string, url: string) => [string, string[]], profile: string,
 *   server: Awaited<ReturnType<typeof serve>>, tally: import('./tally.mjs').Counting, roll: () => number,
 *   signal: AbortSignal | undefined}} Series
 */

/** A life, from the start of a browser until its death. Two kernels write at the same time; the last life only looks.
 * @param {Series} series @param {number} [kill] number of the life @param {string} [mark] how it begins */
async function oneLife(series, kill, mark = '') {
  series.signal?.throwIfAborted();
  const hash = kill === undefined ? '#look' : `#work-${kill}${mark}`;
  series.tally.begin();
  const [path, args] = series.command(series.profile, series.server.url + hash);
  // A group of its own, which takes all the browser's processes along when it is killed.
  const life = spawn(path, args, { stdio: 'ignore', detached: true });
  const ended = new Promise((resolve) => life.once('exit', resolve));
  const die = () => killGroup(life.pid);
  // Vite's server ends this process by itself where it is terminated.
  process.once('exit', die);
  await worked(series, hash).finally(die);
  await ended;
  process.off('exit', die);
}

/** Resolves after a page has worked for up to a few hundred milliseconds: every second life from its first record on,
 * because a busy machine needs longer to open a ledger.
 * @param {Series} series @param {string} hash @returns {Promise<void>} */
async function worked({ server, tally, roll, signal }, hash) {
  const isLong = hash === '#work-0' || (hash !== '#look' && roll() < 0.5);
  let isOver = false;
  /** @type {() => void} */
  let stop = () => undefined;
  const work = new Promise((resolve, reject) => {
    const late = setTimeout(() => reject(new Error('The page said nothing.')), PATIENCE_MS);
    const abort = () => reject(new Error('The series was interrupted.'));
    signal?.addEventListener('abort', abort);
    stop = () => {
      clearTimeout(late);
      signal?.removeEventListener('abort', abort);
    };
    server.listen((said) => {
      // A browser that was killed may open the last life's tab again, besides.
      if (said.life !== hash) return;
      if (said.failed !== undefined) reject(new Error(said.failed));
      if (said.acknowledged !== undefined) tally.acknowledge(said.acknowledged);
      if (said.told !== undefined) tally.tell(said.told);
      if (said.found !== undefined) tally.compare(said.found, said.state, said.contradicted);
      // On a busy machine every life might end before its first record is stored, and the series would test no loss.
      if (isOver || (isLong ? said.acknowledged : said.found) === undefined) return;
      isOver = true;
      clearTimeout(late);
      setTimeout(resolve, hash !== '#look' ? roll() * (isLong ? 1_000 : 400) : 0);
    });
  });
  await work.finally(stop);
}

/** The page as a browser loads it, behind the lock's headers, and a box for its messages.
 * @param {() => readonly string[]} told the checkpoints that the page compares with its log
 * @returns {Promise<{url: string, listen: (hear: (said: any) => void) => void, close: () => Promise<void>}>} */
async function serve(told) {
  const { build, preview } = await import('vite');
  const outDir = join(ROOT, 'node_modules/.cache/sallyport', `kills-page-${process.pid}`);
  const config = { root: ROOT, logLevel: /** @type {const} */ ('warn') };
  const input = join(ROOT, 'test/kills/index.html');
  await build({ ...config, build: { outDir, rolldownOptions: { input, checks: { bundlerTimings: false } } } });
  /** @type {(said: any) => void} */
  let hear = () => undefined;
  const box = {
    name: 'box',
    configurePreviewServer(/** @type {import('vite').PreviewServer} */ { middlewares }) {
      middlewares.use('/told', (_, response) => {
        response.setHeader('content-type', 'application/json');
        response.end(JSON.stringify(told()));
      });
      middlewares.use('/said', (request, response) => {
        let text = '';
        request.setEncoding('utf8');
        request.on('data', (/** @type {string} */ part) => {
          text += part;
        });
        request.on('end', () => {
          for (const said of JSON.parse(text)) hear(said);
          response.end();
        });
      });
    },
  };
  const server = await preview({
    ...config,
    build: { outDir },
    plugins: [box],
    preview: { port: 0, host: '127.0.0.1' },
  });
  const address = server.httpServer.address();
  if (address === null || typeof address === 'string') throw new Error('The server has no port.');
  return {
    url: `http://127.0.0.1:${address.port}/test/kills/index.html`,
    listen: (next) => {
      hear = next;
    },
    close: async () => {
      await server.close();
      rmSync(outDir, { recursive: true, force: true });
    },
  };
}

/** @param {string} profile */
function tear(profile) {
  const base = join(profile, 'Default/IndexedDB');
  const logs = readdirSync(base, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.log'));
  const newest = logs.toSorted().at(-1);
  if (newest !== undefined) appendFileSync(join(base, newest), TORN);
  return newest !== undefined;
}
