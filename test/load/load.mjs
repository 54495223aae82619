// `npm run test:long -- load`: processes on logs in PostgreSQL, which are killed and cut off by chance; and what the store costs.
import { pathToFileURL } from 'node:url';
import { SEED, start } from '../../.scripts/long/command.mjs';
import { bundleForNode } from '../../.scripts/steps.mjs';

/** @typedef {import('./counts.ts').LoadOptions} LoadOptions */
/** @typedef {import('./counts.ts').LoadEnd} LoadEnd */

/** @param {import('../../.scripts/long/types.ts').Work} work */
async function run(work) {
  const { measure = [] } = work.names;
  /** @type {Record<string, number>} */
  const measured = {};
  if (measure.includes('throughput')) await measureThroughput(work, measured);
  if (measure.includes('profile')) await measureProfile(work, measured);
  if (measure.includes('latency')) await measureLatency(work, measured);
  if (measure.includes('scale')) await (await import('./curves.mjs')).measureScale(work, measured);
  return measure.length > 0 || kill(work);
}

/** @param {import('../../.scripts/long/types.ts').Work} work */
async function kill({ numbers, signal, report, progress, say }) {
  const { minutes = 0, seed = 0, processes = 0, logs = 0, runs = 0 } = numbers;
  const ms = minutes * 60_000;
  report({ seed });
  progress(0, ms);
  const bundles = [await bundleForNode('test/load/play.ts'), await bundleForNode('test/load/worker.ts')];
  try {
    const [file, worker] = bundles.map((bundle) => bundle.file);
    /** @type {{play: (options: LoadOptions) => Promise<LoadEnd>}} */
    const { play } = await import(pathToFileURL(file ?? '').href);
    const { faults, ...end } = await play({
      worker: worker ?? '',
      ms,
      seed,
      processes,
      logs,
      runs,
      signal,
      onCount(counts) {
        report(members(seed, counts));
        const { kills, crashes, cuts, acknowledged } = counts;
        progress(
          Math.min(counts.ms, ms),
          ms,
          `${acknowledged} records, ${kills} kills, ${crashes} crashes, ${cuts} cuts`,
        );
      },
    });
    for (const fault of faults) say(fault);
    report({ ...members(seed, end), faults: faults.length });
    const zero = [end.lost, end.half, end.twice, end.unrecorded, end.broken, end.contradicted, faults.length];
    return end.acknowledged > 0 && zero.every((count) => count === 0);
  } finally {
    for (const bundle of bundles) bundle.remove();
  }
}

/** @param {number} seed @param {{readonly ms: number}} counts */
function members(seed, { ms, ...counts }) {
  return { seed, minutes: Math.round(ms / 6_000) / 10, ...counts };
}

/** @typedef {import('../../.scripts/long/types.ts').Work} Work */

/** Prints steps a second beside bare inserts of the same bytes. No ratio fails the test.
 * @param {Work} work @param {Record<string, number>} measured members of the last line */
async function measureThroughput({ numbers, signal, report, progress, say }, measured) {
  const bundles = [await bundleForNode('test/load/measure.ts'), await bundleForNode('test/load/measure-worker.ts')];
  try {
    const [file, worker = ''] = bundles.map((bundle) => bundle.file);
    /** @type {{measureThroughput: (options: import('./measure-order.ts').ThroughputOptions) => Promise<void>}} */
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
async function measureProfile({ numbers, signal, report, progress, say }, measured) {
  const bundles = [await bundleForNode('test/load/profile.ts'), await bundleForNode('test/load/measure-worker.ts')];
  try {
    const [file, worker = ''] = bundles.map((bundle) => bundle.file);
    /** @type {{measureProfile: (options: import('./measure-order.ts').ProfileOptions) => Promise<void>}} */
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

/** @param {import('./measure-order.ts').Pace} pace */
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
async function measureLatency({ numbers, signal, report, progress, say }, measured) {
  const bundle = await bundleForNode('test/load/measure.ts');
  const { size = 0 } = numbers;
  /** @type {number | undefined} */
  let first;
  try {
    /** @type {{measureLatency: (options: import('./measure-order.ts').LatencyOptions) => Promise<void>}} */
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

await start({
  name: 'load',
  summary: 'Kills processes and the server of a ledger in PostgreSQL at random, cuts their connections, and counts.',
  numbers: {
    minutes: {
      help: 'Time in which processes are killed; 0 disturbs them five times.',
      min: 0,
      max: 10_000,
      default: 10,
    },
    seed: SEED,
    processes: { help: 'Processes at a time.', min: 1, max: 64, default: 3 },
    logs: { help: 'Logs, which each process has open.', min: 1, max: 64, default: 2 },
    runs: { help: 'Runs of a process in each log at a time.', min: 1, max: 256, default: 4 },
    steps: {
      help: 'Steps for each number of processes and logs that the throughput is measured with.',
      min: 64,
      max: 10_000_000,
      default: 6_400,
    },
    size: {
      help: 'Records at which the measurement of the latency ends.',
      min: 1_000,
      max: 100_000_000,
      default: 1_000_000,
    },
  },
  names: {
    measure: {
      help: 'What to measure on a quiet machine, in place of the kills:',
      names: ['throughput', 'profile', 'latency', 'scale'],
      default: 'none',
    },
  },
  texts: {
    results: { help: 'File of JSON that gets the curves of `--measure scale`.', value: 'FILE' },
  },
  flags: {
    quick: { help: 'Measure the curves of `--measure scale` at small sizes, as a test of the measurement.' },
  },
  time: 'as many minutes as it is given, and about a tenth more to read the logs; 25 minutes for `--measure scale`, 1 with `--quick`.',
  members: {
    seed: 'Seed of the choices.',
    minutes: 'Time in which processes were killed.',
    acknowledged: 'Records that the store acknowledged.',
    kills: 'Processes that were killed.',
    pauses: 'Processes that were paused for up to 5 seconds.',
    crashes: 'Servers that were killed or stopped, and started again.',
    cuts: 'Times that connections were cut, also before the answer, or stalled.',
    records: 'Records in the logs at the end.',
    runs: 'Runs in the logs at the end.',
    interruptedSteps: 'Steps that were cut off and that were closed.',
    lost: 'Acknowledged records that the logs do not hold.',
    half: 'Batches that are not whole.',
    twice: 'Steps with two effects, two intents or two receipts.',
    unrecorded: 'Effects without an intent.',
    broken: 'Runs that do not verify or did not end.',
    contradicted: 'Roots that a process was told and that the log contradicts.',
    faults: 'Processes that ended by themselves.',
    cells: 'Numbers of processes and logs that the throughput was measured with.',
    worst: 'Least ratio of steps a second to those of bare inserts.',
    ways: 'Rows of the table of `--measure profile`.',
    growth: 'Time of an append at the last size of the log, divided by that at 1,000 records.',
    size: 'Records at the last size.',
    series: 'Lines of the curves that were measured.',
    points: 'Points of these lines.',
  },
  run,
});
