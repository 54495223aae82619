/** The curves of stores for `npm run test:long -- load --measure scale`: as their logs grow, and with several processes. */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Series, SeriesEnd } from '../bench/curves/results.ts';
import type { GrownSize } from './growth.ts';
import type { GrowthLine } from './growth-worker.ts';
import { measureThroughput } from './measure.ts';
import type { GrowthOrder, MeasuredCell, StorePlace, WritingOrder } from './measure-order.ts';
import { measureProcesses } from './measured-process.ts';
import type { ScalePlan } from './scale-plan.ts';
import { startServer } from './server.ts';
import type { SqliteNode } from './sqlite-node.ts';

export { QUICK, WHOLE } from './scale-plan.ts';
export { nodeWithSqlite } from './sqlite-node.ts';

export interface ScaleOptions {
  readonly plan: ScalePlan;
  /** Files of `growth-worker.ts`, `writing-worker.ts` and `measure-worker.ts` as Node runs them. */
  readonly growth: string;
  readonly writing: string;
  readonly throughput: string;
  /** Binary of a Node that has SQLite, or the reason why there is none. */
  readonly sqlite: SqliteNode;
  readonly signal: AbortSignal;
  readonly onSeries: (series: readonly Series[]) => void;
  readonly onNote: (note: string) => void;
}

/** Names of the engines in the curves. */
const NAMES = { directory: 'a directory', sqlite: 'SQLite', postgres: 'PostgreSQL' } as const;
type Engine = keyof typeof NAMES;
const ENGINES = Object.keys(NAMES) as readonly Engine[];
/** Steps of a run that fills a log. */
const STEPS = { runs: 1, records: 20 } as const;

/** Measures the curves of all stores, and hands each over when it is measured. Resolves to PostgreSQL's version. */
export async function measureStores(options: ScaleOptions): Promise<string> {
  const { server, driver, newPool, close } = await startServer();
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-scale-'));
  const placeOf = (engine: Engine, name: string): StorePlace =>
    engine === 'postgres'
      ? { engine, driver, address: server.address(), log: name }
      : { engine, path: join(folder, `${name}-${engine}`, ...(engine === 'sqlite' ? ['ledger.sqlite'] : [])) };
  try {
    for (const unit of ['runs', 'records'] as const) {
      for (const engine of ENGINES) options.onSeries(await grow(options, unit, placeOf(engine, unit)));
    }
    for (const engine of ['directory', 'sqlite'] as const)
      options.onSeries([await processesOn(options, (nth) => placeOf(engine, `processes-${nth}`), engine)]);
    const pool = newPool();
    const { rows } = await pool.query('show server_version');
    await pool.end();
    return String(rows[0]?.['server_version']).split(' ')[0] ?? '';
  } finally {
    await close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Measures steps a second of PostgreSQL with processes and logs, beside bare inserts. */
export async function measureLogs({ plan, throughput, signal, onSeries, onNote }: ScaleOptions): Promise<void> {
  const cells: MeasuredCell[] = [];
  const onCell = (cell: MeasuredCell, done: number, total: number): void => {
    cells.push(cell);
    onNote(`${done} of ${total} numbers of processes and logs`);
  };
  const { processes, logs, steps } = plan;
  await measureThroughput({ worker: throughput, steps: steps.postgres, processes, logs, signal, onCell });
  const line = (chart: Series['chart'], name: string, points: Series['points']): Series => {
    return { chart, name, points, end: { kind: 'planned' } };
  };
  const [fewest, most] = [logs[0] ?? 1, logs.at(-1) ?? 1];
  const ofProcesses = (wanted: number, value: 'store' | 'bare') =>
    cells.flatMap((cell) => (cell.logs === wanted ? [[cell.processes, cell[value].perSecond] as const] : []));
  const ofLogs = (wanted: number, value: 'store' | 'bare') =>
    cells.flatMap((cell) => (cell.processes === wanted ? [[cell.logs, cell[value].perSecond] as const] : []));
  onSeries([
    line('processes', `PostgreSQL, ${counted(fewest, 'log')}`, ofProcesses(fewest, 'store')),
    line('processes', `PostgreSQL, ${counted(most, 'log')}`, ofProcesses(most, 'store')),
    line('processes', `bare inserts, ${counted(most, 'log')}`, ofProcesses(most, 'bare')),
    ...processes.map((wanted) => line('logs', counted(wanted, 'process'), ofLogs(wanted, 'store'))),
    line('logs', `bare inserts, ${counted(processes.at(-1) ?? 1, 'process')}`, ofLogs(processes.at(-1) ?? 1, 'bare')),
  ]);
}

/** 1 log, 8 logs, 2 processes. */
function counted(count: number, noun: 'log' | 'process'): string {
  return `${count} ${noun}${count === 1 ? '' : noun === 'log' ? 's' : 'es'}`;
}

/** The curves of a store as its log grows: the openings, and with records the appends. */
async function grow(options: ScaleOptions, unit: 'runs' | 'records', place: StorePlace): Promise<readonly Series[]> {
  const [opened, name] = [unit === 'runs' ? ('runs' as const) : ('opened' as const), NAMES[place.engine]];
  const node = nodeFor(options, place.engine);
  const { sizes, end } =
    'reason' in node
      ? { sizes: [], end: { kind: 'absent', ...node } as const }
      : await grown(options, unit, place, node);
  const openings: Series = { chart: opened, name, points: sizes.map(({ size, open }) => [size, open]), end };
  if (unit === 'runs') return [openings];
  return [openings, { chart: 'records', name, points: sizes.map(({ size, median }) => [size, median]), end }];
}

interface Grown {
  readonly sizes: readonly GrownSize[];
  readonly end: SeriesEnd;
}

/** Runs a process that fills the store and measures it. */
async function grown(
  { plan, growth, signal, onNote }: ScaleOptions,
  unit: 'runs' | 'records',
  place: StorePlace,
  { binary }: { readonly binary: string },
): Promise<Grown> {
  const { timed, ms } = plan;
  const order: GrowthOrder = { place, unit, sizes: plan[unit].stores, steps: STEPS[unit], timed, ms: ms[unit] };
  const args = ['--disable-warning=ExperimentalWarning', growth, JSON.stringify(order)];
  const child = spawn(binary, args, { stdio: ['ignore', 'pipe', 'inherit'], signal, killSignal: 'SIGKILL' });
  const failed = new Promise<never>((_, reject) => child.once('error', reject));
  const sizes: GrownSize[] = [];
  const read = async (): Promise<Grown> => {
    for await (const text of createInterface({ input: child.stdout })) {
      const line = JSON.parse(text) as GrowthLine;
      if ('size' in line) sizes.push(line);
      if ('filled' in line) onNote(`${NAMES[place.engine]}, ${line.filled} ${unit}`);
      if ('isWhole' in line) return { sizes, end: { kind: line.isWhole ? 'planned' : 'time' } };
    }
    throw new Error(`The process that measured ${NAMES[place.engine]} has ended.`);
  };
  return Promise.race([read(), failed]);
}

/** Steps a second of one process and of several on one store, to the number that the store refuses. */
async function processesOn(
  options: ScaleOptions,
  placeOf: (nth: number) => StorePlace,
  engine: Engine,
): Promise<Series> {
  const { plan, writing, signal } = options;
  const node = nodeFor(options, engine);
  const line = { chart: 'processes', name: NAMES[engine] } as const;
  if ('reason' in node) return { ...line, points: [], end: { kind: 'absent', reason: node.reason } };
  const points: [number, number][] = [];
  for (const count of plan.processes) {
    signal.throwIfAborted();
    options.onNote(`${NAMES[engine]}, ${counted(count, 'process')}`);
    const orders = ordersFor(placeOf(count), count, plan.steps.file);
    const times = await measureProcesses({ worker: writing, node: node.binary, orders, phases: ['write'] });
    if ('refused' in times) return { ...line, points, end: { kind: 'refused', code: times.refused } };
    const steps = orders.reduce((sum, order) => sum + order.steps * order.runs.length, 0);
    points.push([count, Math.round((steps * 1_000) / (times[0] ?? Number.NaN))]);
  }
  return { ...line, points, end: { kind: 'planned' } };
}

/** Runs that are written at the same time, in all processes together. */
const WRITERS = 64;

function ordersFor(place: StorePlace, processes: number, steps: number): readonly WritingOrder[] {
  const runs = Array.from({ length: WRITERS }, (_, run) => run);
  return Array.from({ length: processes }, (_, of) => ({
    place,
    runs: runs.filter((run) => run % processes === of),
    steps: Math.max(1, Math.round(steps / WRITERS)),
  }));
}

/** The Node that measures an engine. */
function nodeFor({ sqlite }: ScaleOptions, engine: Engine): SqliteNode {
  return engine === 'sqlite' ? sqlite : { binary: process.execPath, version: process.versions.node };
}
