// Packages that are measured beside Sallyport: pinned in a folder of their own, and no dependency of the repository.
import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ROOT } from '../steps.mjs';
import { npm } from './trees.mjs';

/** @typedef {import('./outside.mjs').Outside} Outside */
/** @typedef {import('../../test/bench/table.ts').Row} Row */
/** @typedef {import('../../test/bench/race.ts').Side} Side */
/** @typedef {{name: string, side?: Side, missing?: string}} Contender */
/** `native` is the package with code for a machine, which `env` may have built for another Node.
 * @typedef {{native: string, env?: NodeJS.ProcessEnv}} Native */

/** A module beside the packages, so that Node finds them. */
const LOADER = `import { readFileSync } from 'node:fs';
export const load = (name) => import(name);
export const read = (name) => readFileSync(new URL(import.meta.resolve(name)));
`;

/** Installs the packages that a folder pins into the cache, unless they are there. Resolves to the address of a module
 * that imports them, and to the versions.
 * @param {string} folder of `test/bench` @param {Native} native @param {string} [key] of the Node that has built it
 * @returns {{loader: string, versions: Record<string, string>}} */
export function installPinned(folder, { native, env }, key = process.versions.modules) {
  const pinned = join(ROOT, 'test/bench', folder);
  const lock = readFileSync(join(pinned, 'package-lock.json'));
  const home = join(ROOT, 'node_modules/.cache/sallyport', `${folder}-${key}-${hashOf(lock)}`);
  const loader = join(home, 'load.mjs');
  if (!existsSync(loader)) {
    mkdirSync(home, { recursive: true });
    for (const file of ['package.json', 'package-lock.json']) copyFileSync(join(pinned, file), join(home, file));
    npm(['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'], home);
    buildNative(home, native, env);
    // written last: an installation that was interrupted begins anew
    writeFileSync(loader, LOADER);
  }
  return { loader: pathToFileURL(loader).href, versions: versionsIn(home) };
}

/** Makes the first run or call of a side, and says why there is none. `open` may tell a longer name.
 * @param {string} name @param {() => Promise<{sample: Side['sample'], name?: string}>} open
 * @returns {Promise<Contender>} */
export async function contender(name, open) {
  try {
    const { sample, name: full = name } = await open();
    await sample();
    return { name: full, side: { name: full, sample } };
  } catch (error) {
    const [message = ''] = String(error instanceof Error ? error.message : error).split('\n');
    return { name, missing: `not measured: ${message.slice(0, 100)}` };
  }
}

/** @param {Outside['bench']} bench @param {string} what @param {Side} ours @param {readonly Contender[]} others
 * @param {number} rounds @returns {Promise<Row[]>} */
export async function rowsBeside({ race, rowsOf }, what, ours, others, rounds) {
  await ours.sample();
  const raced = await race([ours, ...others.flatMap(({ side }) => side ?? [])], rounds);
  const [own] = raced;
  if (own === undefined) return [];
  const missing = others.flatMap(({ name, missing: why }) =>
    why === undefined ? [] : [{ what, against: name, ours: own.times, missing: why }],
  );
  return [...rowsOf(what, raced), ...missing];
}

/** Builds the only package with code of its own for a machine. Its row says when that failed.
 * @param {string} home @param {string} native @param {NodeJS.ProcessEnv} [env] */
function buildNative(home, native, env) {
  try {
    npm(['rebuild', native, '--loglevel=error'], home, env);
  } catch {
    rmSync(join(home, 'node_modules', native), { recursive: true, force: true });
  }
}

/** @param {string} home @returns {Record<string, string>} */
function versionsIn(home) {
  const { dependencies, optionalDependencies } = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8'));
  return { ...dependencies, ...optionalDependencies };
}

/** @param {Buffer} bytes */
function hashOf(bytes) {
  return createHash('sha256').update(bytes).digest('hex').slice(0, 16);
}
