// A program that plays durable steps in PostgreSQL and SQLite: by the built package, and by packages beside it. Each
// message of its parent names a side, and is answered with a time. It runs in a Node with SQLite.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { DURABLE_PEERS, expected } from '../../test/bench/durable-peers/steps.mjs';
import { openPlayer } from './player.mjs';

/**
 * @typedef {import('../../test/bench/durable-peers/steps.mjs').Database} Database
 * @typedef {{play: (steps: number) => Promise<unknown>, settings: string}} Opened
 * @typedef {{side: string, steps: number, runs: number}} Ask
 * @typedef {{ms: number, settings: string} | {failed: string}} Answer
 * @typedef {{dist: string, loader: string, address: string, folder: string}} Order
 */

/** @type {Order} */
const { dist, loader, address, folder } = JSON.parse(process.argv[2] ?? '');
/** @type {{load: import('../../test/bench/durable-peers/steps.mjs').Load}} */
const { load } = await import(loader);
const { default: pg } = await load('pg');
const entry = (/** @type {string} */ name) => pathToFileURL(join(dist, `${name}.js`)).href;

/** Each side has a pool of its own, of the size that `pg` and DBOS have by default. */
function newPool() {
  const pool = new pg.Pool({ connectionString: address });
  pool.on('error', () => undefined);
  return pool;
}

/** How the server writes. */
async function settingsOfServer() {
  const pool = newPool();
  const show = async (/** @type {string} */ name) => Object.values((await pool.query(`show ${name}`)).rows[0])[0];
  const version = String(await show('server_version')).split(' ')[0];
  const text = `PostgreSQL ${version} (fsync ${await show('fsync')}, synchronous_commit ${await show('synchronous_commit')})`;
  await pool.end();
  return text;
}

/** @param {Database} database @param {'pure' | 'write'} effect */
async function openOurs(database, effect) {
  const store =
    database === 'sqlite'
      ? (await import(entry('sqlite'))).openSqlite({ path: join(folder, `sallyport-${effect}.sqlite`) })
      : await (await import(entry('postgres'))).openPostgres({ pool: newPool(), log: effect });
  return openPlayer(entry('node'), { store }, effect);
}

/** @param {string} side @returns {Promise<Opened>} */
async function open(side) {
  const peer = DURABLE_PEERS.find(({ id }) => id === side);
  if (peer === undefined) {
    const [, database, effect] = side.split(' ');
    const player = await openOurs(/** @type {Database} */ (database), effect === 'write' ? 'write' : 'pure');
    return { play: player.play, settings: '' };
  }
  const { play, settings } = await peer.open(load, { pool: newPool(), address, path: join(folder, `${side}.sqlite`) });
  return {
    settings,
    play: async (steps) => {
      const results = await play(steps);
      if (JSON.stringify(results) !== JSON.stringify(expected(steps))) throw new Error('it came to other results');
    },
  };
}

/** @type {Map<string, Promise<Opened>>} */
const opened = new Map();

/** @param {Ask} ask @returns {Promise<Answer>} */
async function answer({ side, steps, runs }) {
  if (side === 'server') return { ms: 0, settings: await settingsOfServer() };
  const opening = opened.get(side) ?? open(side);
  opened.set(side, opening);
  const { play, settings } = await opening;
  const start = performance.now();
  await Promise.all(Array.from({ length: runs }, () => play(steps)));
  return { ms: performance.now() - start, settings };
}

process.on('message', (/** @type {Ask} */ ask) => {
  void answer(ask)
    .catch((/** @type {unknown} */ error) => ({ failed: String(error instanceof Error ? error.message : error) }))
    .then((said) => process.send?.(said));
});
// its parent has ended
process.on('disconnect', () => process.exit());
