// The curves of the page on scale: what grows, in stores and in a page, and where it ends.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { commit, load, machine } from '../bench/results.mjs';
import { bundleForNode } from '../long/bundle.mjs';
import { ROOT } from '../steps.mjs';

/** @typedef {import('../long/types.ts').Work} Work */
/** @typedef {import('../../test/bench/curves/results.ts').Series} Series */
/** @typedef {import('../../test/bench/curves/results.ts').ScaleResults} ScaleResults */

const MODULES = /** @type {const} */ (['scale', 'scale-backup', 'growth-worker', 'writing-worker', 'measure-worker']);

/** Measures every curve, and writes the file of results. No time fails the test.
 * @param {Work} work @param {Record<string, number>} measured members of the last line */
export async function measureScale(work, measured) {
  const { results } = work.texts;
  const isQuick = work.flags['quick'] === true;
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-curves-'));
  const bundles = [];
  try {
    for (const name of MODULES) bundles.push(await bundleForNode(`test/load/${name}.ts`));
    const [file, backup, growth, writing, throughput] = /** @type {[string, string, string, string, string]} */ (
      bundles.map((bundle) => bundle.file)
    );
    /** @type {typeof import('../../test/load/scale.ts')} */
    const { QUICK, WHOLE, measureLogs, measureStores, nodeWithSqlite } = await import(pathToFileURL(file).href);
    /** @type {typeof import('../../test/load/scale-backup.ts')} */
    const { writeBackups } = await import(pathToFileURL(backup).href);
    const plan = isQuick ? QUICK : WHOLE;
    /** @type {Series[]} */
    const series = [];
    const first = load();
    const onSeries = (/** @type {readonly Series[]} */ more) => {
      series.push(...more);
      for (const { chart, name, points, end } of more)
        work.say(`${chart}, ${name}: ${points.map(([at, value]) => `${at} ${value}`).join(', ')} (${end.kind})`);
      measured['series'] = series.length;
      measured['points'] = series.reduce((sum, { points }) => sum + points.length, 0);
      work.report({ ...measured });
    };
    const lines = LINES + plan.processes.length;
    const onNote = (/** @type {string} */ note) => work.progress(series.length, lines, note);
    const sqlite = nodeWithSqlite(folder);
    const options = { plan, growth, writing, throughput, sqlite, signal: work.signal, onSeries, onNote };
    const postgres = await measureStores(options);
    await measureLogs(options);
    const { measurePage } = await import('./page.mjs');
    const chromium = await measurePage({ plan, folder, isQuick, writeBackups, signal: work.signal, onSeries, onNote });
    if (results === undefined) return;
    /** @type {ScaleResults} */
    const all = {
      format: 'sallyport-scale/1',
      isQuick,
      date: new Date().toISOString().slice(0, 10),
      load: [first, load()],
      machine: machine(),
      versions: {
        Sallyport: `${JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')).version}${commit()}`,
        Node: process.versions.node,
        ...('binary' in sqlite && { 'Node with SQLite': sqlite.version }),
        PostgreSQL: postgres,
        ...(chromium !== undefined && { Chromium: chromium }),
      },
      series,
    };
    writeFileSync(results, formatScale(all));
  } finally {
    for (const bundle of bundles) bundle.remove();
    rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  }
}

/** Lines of all curves besides those of the numbers of processes. */
const LINES = 22;

/** Numbers keep four digits. @param {ScaleResults} results */
function formatScale(results) {
  const digits = (/** @type {string} */ _, /** @type {unknown} */ value) =>
    typeof value === 'number' ? Number(value.toPrecision(4)) : value;
  return `${JSON.stringify(results, digits, 1)}\n`;
}
