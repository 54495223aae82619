import { Worker } from 'node:worker_threads';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { PINS, type Pins } from '../../sandbox/index.ts';
import { ALL, fixName, type Program } from './all-programs.ts';
import { OUTCOMES } from './differences.ts';
import { FIXES } from './fixes.ts';
import type { Ended, LaneStart } from './lane.ts';
import laneUrl from './lane.ts?thread';
import { wasmOf } from './on-engine.ts';
import { QUICKJS_NG } from './quickjs-ng.ts';

/** Time for a program that is to hang, and for all others, in ms. */
const WAIT = { hang: 4000, other: 330_000 };
const HUNG: Ended = { end: 'hang', fuel: 0, isSound: true };

const lanes = [laneOf(PINS), laneOf(QUICKJS_NG)] as const;
const rows: (readonly [program: Program, ours: Ended, second: Ended])[] = [];

beforeAll(
  () => void process.stdout.write(`\n${'program'.padEnd(64)} ${'ours'.padEnd(20)} | ${'second'.padEnd(20)} | fuel\n`),
);
afterAll(() => Promise.all(lanes.map((lane) => lane.end())));

test.each(ALL.map((program) => [program.name, program] as const))(
  'a program ends in both engines as the tables say: %s',
  async (_name, program) => {
    const [ours, second] = await Promise.all([lanes[0].run(program), lanes[1].run(program)]);
    rows.push([program, ours, second]);
    process.stdout.write(`${rowOf(program, ours, second)}\n`);
    const named = namedOf(program);
    if (named === undefined) return expect(told(second)).toEqual(told(ours));
    const { end, text, isSound = true } = named;
    const { text: _, ...rest } = told(second);
    expect(text === '*' ? rest : told(second)).toEqual({
      end,
      isSound,
      ...(text !== undefined && text !== '*' && { text }),
    });
    expect(told(second)).not.toEqual(told(ours));
  },
);

test.each(FIXES)('what is said of $upstream is so in our engine', ({ upstream, end, text, traps = false }) => {
  const [, ours] = rows.find(([{ name }]) => name === fixName(upstream)) ?? [];
  expect(ours).toMatchObject({ end, ...(text !== undefined && { text }), isSound: !traps });
});

test('each named difference is of a program that is run', () => {
  const names = new Set(ALL.map(({ name }) => name));
  expect(Object.keys(OUTCOMES).filter((name) => !names.has(name))).toEqual([]);
  expect(names.size).toBe(ALL.length);
});

function namedOf({ name }: Program) {
  return Object.hasOwn(OUTCOMES, name) ? OUTCOMES[name] : undefined;
}

/** The outcome without its cost. */
function told({ end, text, isSound }: Ended) {
  return { end, ...(text !== undefined && { text }), isSound };
}

interface Lane {
  run(program: Program): Promise<Ended>;
  end(): Promise<unknown>;
}

/** Runs programs in a thread; one that does not come back ends with its thread, and the next has a thread of its own. */
function laneOf(pins: Pins): Lane {
  const workerData: LaneStart = { wasm: wasmOf(pins), pins };
  let started: Promise<Worker> | undefined;
  return {
    async run(program) {
      const worker = await (started ??= startOf(workerData));
      worker.postMessage(program);
      const ended = await first<Ended>(worker, program.hangs === true ? WAIT.hang : WAIT.other);
      if (ended !== undefined) return ended;
      started = undefined;
      await worker.terminate();
      return HUNG;
    },
    end: async () => (await started)?.terminate(),
  };
}

async function startOf(workerData: LaneStart): Promise<Worker> {
  const worker = new Worker(new URL(laneUrl), { workerData });
  await first(worker, WAIT.other);
  return worker;
}

/** The next message of a thread; undefined when none comes in time. */
function first<T>(worker: Worker, ms: number): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => resolve(undefined), ms);
    worker.once('error', reject).once('message', (message: T) => {
      clearTimeout(timer);
      worker.off('error', reject);
      resolve(message);
    });
  });
}

function rowOf(program: Program, ours: Ended, second: Ended): string {
  const cell = ({ end, fuel }: Ended) => `${end.padEnd(10)} ${String(fuel).padStart(9)}`;
  const ratio = ours.fuel === second.fuel ? '=' : `× ${(second.fuel / ours.fuel).toFixed(2)}`;
  const mark = namedOf(program) === undefined ? '' : ' differs';
  return `${program.name.slice(0, 64).padEnd(64)} ${cell(ours)} | ${cell(second)} | ${ratio}${mark}`;
}
