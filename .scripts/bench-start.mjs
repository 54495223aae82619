// `node .scripts/bench-start.mjs`, after a build: the starts of the playground in Chromium with a profile on disk, as
// lines. A warm start is a later visit: the service worker has the files, and the browser has compiled them. A cold
// start is a first visit with a slow processor and network. No time fails the command; measure on a quiet machine.
// `--against FOLDER` measures another build, the `dist` of another tree, in turns with this one.
// `--phases` also prints the parts of each start: its files, its workers and its calls of the kernel.
// `--rounds N` makes N later visits, and half as many first visits.
// `--results FILE` writes a file, from which `npm run bench -- tables` makes the table of the documentation.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { preview } from 'vite';
import { commit, load, machine } from './bench/results.mjs';
import { median, ms, phaseLines } from './bench/start-phases.mjs';
import { chromiumVersion, firstVisit, laterVisitor } from './bench/start-visits.mjs';
import { ROOT } from './steps.mjs';

const GOALS = { warm: 500, cold: 4000 };
const TITLES = { warm: 'a later visit, nothing slowed', cold: 'a first visit, 4 times slower CPU, Fast 3G' };

/** @typedef {import('./bench/start-visits.mjs').Start} Start */
/** A build that is measured.
 * @typedef {{name: string, url: string, warm: Start[], cold: Start[], close: () => Promise<void>}} Side */

const withPhases = process.argv.includes('--phases');
const file = valueOf('--results', 'the path of a file');
const other = valueOf('--against', 'a folder with a build');
const rounds = Number(valueOf('--rounds', 'a number') ?? 7);

/** @param {string} option @param {string} wants */
function valueOf(option, wants) {
  const at = process.argv.indexOf(option);
  return at < 0 ? undefined : (process.argv[at + 1] ?? stop(`${option} takes ${wants}.`));
}

/** Serves a build. @param {string} name @param {string} folder @returns {Promise<Side>} */
async function serve(name, folder) {
  if (!existsSync(join(folder, 'index.html'))) stop(`${folder} has no build: npm run build makes one.`);
  const options = { port: 0, host: '127.0.0.1' };
  const server = await preview({ root: ROOT, logLevel: 'warn', build: { outDir: folder }, preview: options });
  return { name, url: String(server.resolvedUrls?.local[0]), warm: [], cold: [], close: () => server.close() };
}

/** The sides take turns, so that each meets the same load of the machine. @param {readonly Side[]} sides */
async function measure(sides) {
  const visitors = [];
  for (const side of sides) visitors.push({ side, ...(await laterVisitor(side.url, withPhases)) });
  for (let round = 0; round < rounds; round++) for (const { side, start } of visitors) side.warm.push(await start());
  for (const { close } of visitors) await close();
  for (let round = 0; round < Math.floor(rounds / 2); round++)
    for (const side of sides) side.cold.push(await firstVisit(side.url, withPhases));
}

/** @param {Side} side */
function tell({ name, warm, cold }) {
  console.log(name);
  tellStarts(TITLES.warm, warm, GOALS.warm);
  tellStarts(TITLES.cold, cold, GOALS.cold);
}

/** @param {string} what @param {readonly Start[]} starts @param {number} goal */
function tellStarts(what, starts, goal) {
  if (starts.length === 0) return;
  /** @param {'painted' | 'usable' | 'processor'} part */
  const middle = (part) => ms(median(starts.map((start) => start[part])));
  const best = Math.min(...starts.map((start) => start.usable));
  const shift = Math.max(...starts.map((start) => start.shift));
  const missed = median(starts.map((start) => start.usable)) > goal ? '  missed' : '';
  console.log(
    `${what.padEnd(44)} first paint ${middle('painted')}  usable ${middle('usable')}  best ${ms(best)}  goal ${ms(goal)}${missed}`,
  );
  console.log(`  processor ${middle('processor')}  layout shift ${shift.toFixed(3)}`);
  if (withPhases) for (const line of phaseLines(starts.map(({ phases }) => phases))) console.log(line);
}

/** @param {string} what @param {readonly Start[]} starts @param {number} goalMs
 * @returns {import('../test/bench/starts.ts').Starts} */
function asRow(what, starts, goalMs) {
  const [paintedMs, usableMs] = /** @type {const} */ (['painted', 'usable']).map((part) =>
    starts.map((start) => Math.round(start[part])),
  );
  return { what, goalMs, paintedMs: paintedMs ?? [], usableMs: usableMs ?? [] };
}

/** @param {string} path @param {import('../test/bench/starts.ts').Starts[]} starts */
async function write(path, starts) {
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  /** @type {import('../test/bench/starts.ts').StartResults} */
  const results = {
    format: 'sallyport-start/1',
    date: new Date().toISOString().slice(0, 10),
    load: [before, load()],
    machine: machine(),
    versions: { Sallyport: `${version}${commit()}`, Chromium: await chromiumVersion() },
    starts,
  };
  writeFileSync(path, `${JSON.stringify(results, null, 2)}\n`);
}

/** @param {string} fault
 * @returns {never} */
function stop(fault) {
  console.error(fault);
  process.exit(2);
}

const before = load();
const here = await serve('this build', join(ROOT, 'dist'));
const sides = other === undefined ? [here] : [here, await serve(other, resolve(other))];
try {
  await measure(sides);
  for (const side of sides) tell(side);
  if (file !== undefined) {
    await write(file, [asRow(TITLES.warm, here.warm, GOALS.warm), asRow(TITLES.cold, here.cold, GOALS.cold)]);
  }
} finally {
  for (const { close } of sides) await close();
}
