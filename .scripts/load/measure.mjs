// What a store in PostgreSQL costs: steps a second, and the time of an append as its log grows.
import { pathToFileURL } from 'node:url';
import { bundleForNode } from '../long/bundle.mjs';

/** @typedef {import('../long/types.ts').Work} Work */

/** Prints steps a second beside bare inserts of the same bytes. No ratio fails the test.
 * @param {Work} work @param {Record<string, number>} measured members of the last line */
export async function measureThroughput({ numbers, signal, report, progress, say }, measured) {
  const bundles = [await bundleForNode('test/load/measure.ts'), await bundleForNode('test/load/measure-worker.ts')];
  try {
    const [file, worker = ''] = bundles.map((bundle) => bundle.file);
    /** @type {{measureThroughput: (options: import('../../test/load/measure-order.ts').ThroughputOptions) => Promise<void>}} */
    const module = await import(pathToFileURL(file ?? '').href);
    say(`| ${CELL.join(' | ')} |`);
    say(`|${' --- |'.repeat(CELL.length)}`);
    await module.measureThroughput({
      worker,
      signal,
      steps: numbers['steps'] ?? 0,
      onCell({ processes, logs, store, bare }, done, total) {
        const ratio = Math.round((100 * store.perSecond) / bare.perSecond) / 100;
        const cells = [processes, logs, store.perSecond, bare.perSecond, ratio, ...[store, bare].map(timesOf)];
        say(`| ${cells.map((cell) => cell.toLocaleString('en')).join(' | ')} |`);
        measured['cells'] = done;
        measured['worst'] = Math.min(ratio, measured['worst'] ?? ratio);
        report({ ...measured });
        progress(done, total);
      },
    });
  } finally {
    for (const bundle of bundles) bundle.remove();
  }
}

/** Prints a table of what a step costs in each way to write it. No number fails the test.
 * @param {Work} work @param {Record<string, number>} measured members of the last line */
export async function measureProfile({ numbers, signal, report, progress, say }, measured) {
  const bundles = [await bundleForNode('test/load/profile.ts'), await bundleForNode('test/load/measure-worker.ts')];
  try {
    const [file, worker = ''] = bundles.map((bundle) => bundle.file);
    /** @type {{measureProfile: (options: import('../../test/load/measure-order.ts').ProfileOptions) => Promise<void>}} */
    const module = await import(pathToFileURL(file ?? '').href);
    say(`| ${COLUMNS.join(' | ')} |`);
    say(`|${' --- |'.repeat(COLUMNS.length)}`);
    await module.measureProfile({
      worker,
      signal,
      steps: numbers['steps'] ?? 0,
      onCost({ name, logs, steps, group, statements, sent, received, wal, program, server = '–' }, done, total) {
        const cells = [name, logs, steps, group, statements, `${sent} + ${received}`, wal, program, server];
        say(`| ${cells.map((cell) => cell.toLocaleString('en')).join(' | ')} |`);
        measured['ways'] = done;
        report({ ...measured });
        progress(done, total);
      },
    });
  } finally {
    for (const bundle of bundles) bundle.remove();
  }
}

const CELL = [
  'processes',
  'logs',
  'steps a second',
  'steps a second of bare inserts',
  'ratio',
  'processes + server + idle, µs a step',
  'the same of bare inserts',
];

/** @param {import('../../test/load/measure-order.ts').Pace} pace */
function timesOf({ program, server, idle }) {
  return `${program} + ${server ?? '–'} + ${idle}`;
}

const COLUMNS = [
  'what writes',
  'logs',
  'steps a second',
  'steps a transaction',
  'statements a transaction',
  'bytes a step to and from the server',
  'bytes a step in the log of the server',
  'program, µs a step',
  'server, µs a step',
];

/** Prints the time of an append at sizes of the log. No time fails the test.
 * @param {Work} work @param {Record<string, number>} measured members of the last line */
export async function measureLatency({ numbers, signal, report, progress, say }, measured) {
  const bundle = await bundleForNode('test/load/measure.ts');
  const { size = 0 } = numbers;
  /** @type {number | undefined} */
  let first;
  try {
    /** @type {{measureLatency: (options: import('../../test/load/measure-order.ts').LatencyOptions) => Promise<void>}} */
    const module = await import(pathToFileURL(bundle.file).href);
    await module.measureLatency({
      records: size,
      signal,
      onFill: (now) => progress(now, size, 'records'),
      onSize({ records, median, p95 }) {
        say(`${records} records: an append takes ${median} ms, 95 of 100 take at most ${p95} ms`);
        measured['growth'] = Math.round((100 * median) / (first ??= median)) / 100;
        report({ ...measured, size: records });
      },
    });
  } finally {
    bundle.remove();
  }
}
