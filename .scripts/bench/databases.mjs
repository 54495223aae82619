// Durable steps in PostgreSQL and SQLite, beside packages that people use for them: in turns, in one process, over one
// server and one disk.
import { fork } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { DURABLE_PEERS } from '../../test/bench/durable-peers/steps.mjs';
import { provideServers } from '../install.mjs';
import { bundleForNode } from '../steps.mjs';
import { contender, installPinned, rowsBeside } from './contenders.mjs';

/** @typedef {import('./outside.mjs').Outside} Outside */
/** @typedef {import('../../test/bench/table.ts').Row} Row */
/** @typedef {import('../../test/bench/durable-peers/steps.mjs').Database} Database */
/** @typedef {import('./databases-entry.mjs').Ask} Ask */
/** @typedef {import('./databases-entry.mjs').Answer} Answer */
/** @typedef {{ask: (ask: Ask) => Promise<{ms: number, settings: string}>, versions: Record<string, string>,
 *   node: string}} Program */

const ENTRY = fileURLToPath(new URL('databases-entry.mjs', import.meta.url));
/** Steps of a run, runs at once, and turns. */
const SIZES = /** @type {const} */ ([
  [100, 1, 3],
  [100, 32, 1],
  [500, 1, 1],
  [500, 32, 1],
]);
/** Steps of the first sample. */
const FIRST_STEPS = 20;
/** Steps at once beyond which slow sides are left out: minutes long. */
const SLOW_MAX = 4_000;

/** @param {Outside} outside @returns {Promise<Row[]>} */
export async function databasesInNode({ bench, trees, signal, keep }) {
  provideServers();
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-databases-'));
  const bundles = [await bundleForNode('test/load/server.ts'), await bundleForNode('test/load/sqlite-node.ts')];
  const [{ startServer }, { nodeWithSqlite }] =
    /** @type {[typeof import('../../test/load/server.ts'), typeof import('../../test/load/sqlite-node.ts')]} */ (
      await Promise.all(bundles.map(({ file }) => import(pathToFileURL(file).href)))
    );
  const { server, close } = await startServer();
  /** @type {Program & {end: () => void} | undefined} */
  let program;
  try {
    const node = nodeWithSqlite(folder);
    if ('reason' in node) throw new Error(node.reason);
    const order = { dist: join(trees.now.home, 'dist'), address: server.address(), folder };
    program = startProgram(node, order, signal);
    const { settings } = await program.ask({ side: 'server', steps: 0, runs: 0 });
    for (const [steps, runs, rounds] of SIZES) {
      const size = `Node ${node.version}, ${steps} steps, ${runs === 1 ? '1 run' : `${runs} runs at once`}`;
      for (const [database, title] of /** @type {const} */ ([
        ['postgres', settings],
        ['sqlite', 'SQLite'],
      ])) {
        const sides = await sidesOf(program, database, steps, runs);
        keep(await rowsBeside(bench, `durable step in ${title}, ${size}`, sides.ours, sides.others, rounds));
      }
    }
    return [];
  } finally {
    program?.end();
    await close();
    for (const { remove } of bundles) remove();
    rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  }
}

/** Sallyport's pure step, and the others: its step with an effect, and the packages'.
 * @param {Program} program @param {Database} database @param {number} steps @param {number} runs */
async function sidesOf({ ask, versions }, database, steps, runs) {
  /** µs of a step of all runs. The first sample is short: it opens the side. @param {string} side */
  const sampleOf = (side) => {
    let isFirst = true;
    return async () => {
      const wanted = isFirst ? { side, steps: FIRST_STEPS, runs: 1 } : { side, steps, runs };
      isFirst = false;
      return ((await ask(wanted)).ms * 1000) / (wanted.steps * wanted.runs);
    };
  };
  const own = `sallyport ${database}`;
  /** Throws where a slow side would take too long. @param {boolean} isSlow */
  const demandTime = (isSlow) => {
    if (isSlow && steps * runs > SLOW_MAX) throw new Error('it takes minutes');
  };
  const withEffect = async () => {
    demandTime(true);
    return { sample: sampleOf(`${own} write`) };
  };
  const others = [await contender('Sallyport, a call with an effect', withEffect)];
  for (const { id, name, package: from, isGrowing } of DURABLE_PEERS.filter((peer) => peer.database === database)) {
    const full = name.replace(/^[^,]+/, `$& ${versions[from]}`);
    const open = async () => {
      demandTime(isGrowing === true);
      const { settings } = await ask({ side: id, steps: 1, runs: 1 });
      return { sample: sampleOf(id), name: settings === '' ? full : `${full} (${settings})` };
    };
    others.push(await contender(full, open));
  }
  return { ours: { name: 'sallyport', sample: sampleOf(`${own} pure`) }, others };
}

/** Starts the program that plays the steps.
 * @param {{binary: string, version: string}} node @param {Omit<import('./databases-entry.mjs').Order, 'loader'>} order
 * @param {AbortSignal} signal @returns {Program & {end: () => void}} */
function startProgram({ binary, version }, order, signal) {
  const { loader, versions } = installPinned(
    'durable-peers',
    { native: 'better-sqlite3', env: envOf(binary) },
    version,
  );
  const execArgv = ['--disable-warning=ExperimentalWarning'];
  const child = fork(ENTRY, [JSON.stringify({ ...order, loader })], { execPath: binary, execArgv });
  const end = () => void child.kill();
  signal.addEventListener('abort', end);
  const ended = new Promise((_, reject) => child.once('exit', () => reject(new Error('The program has ended.'))));
  ended.catch(() => undefined);
  /** @param {Ask} ask @returns {Promise<any>} */
  const ask = async (ask) => {
    const answer = new Promise((resolve) => child.once('message', resolve));
    child.send(ask);
    const said = /** @type {Answer} */ (await Promise.race([answer, ended]));
    if ('failed' in said) throw new Error(said.failed);
    return said;
  };
  return { ask, versions, node: version, end };
}

/** Where a package is built for a Node other than this one: that Node's programs and headers.
 * @param {string} binary */
function envOf(binary) {
  const headers = join(dirname(binary), '..');
  const nodedir = existsSync(join(headers, 'include/node/node.h')) ? { npm_config_nodedir: headers } : {};
  return { ...process.env, ...nodedir, PATH: [dirname(binary), process.env['PATH']].join(delimiter) };
}
