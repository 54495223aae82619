import { CALL_LIMITS, sha256Text } from '../../core/index.ts';
import type { SandboxPort } from '../../workers/sandbox/port.ts';
import { type Times, timesOf } from './race.ts';
import type { Goal, Row } from './table.ts';

const DEADLINE_MS = 250;
/** A native loop that the engine's own interrupt never sees (quickjs-emscripten #219). */
const HANG = 'export default () => [].indexOf.call({ length: 2 ** 53 - 1 }, 1)';
const ADD = 'export default ({ a, b }) => a + b';
/** Time until a spare is ready, also on a busy machine. */
const FURNISHED_MS = 1500;
/** Between two calls, and between two readings of the clock. */
const PAUSE_MS = 10;

/** The costs of one hang, in ms. */
interface Hang {
  /** From its start to the answer of the next call, which is made when the hang is given up. */
  readonly recovery: number;
  /** The slowest of the calls that were made during the hang. */
  readonly beside: number;
  /** The longest time in which the thread that started the hang did not run. */
  readonly silence: number;
}

const ROWS: readonly (readonly [keyof Hang, what: string, goal?: Goal])[] = [
  ['recovery', 'a hang, to the next answer', { us: (DEADLINE_MS + 250) * 1000 }],
  ['silence', 'longest silence of its owner', { us: 100_000 }],
  ['beside', 'slowest call beside it'],
];

/** A guest that only the end of its worker stops. `open` makes a pool of workers as the runtime does. */
export async function hang(open: () => Promise<SandboxPort>, rounds: number): Promise<Row[]> {
  const [warm, cold]: [Hang[], Hang[]] = [[], []];
  for (let round = 0; round < rounds; round++) {
    warm.push(await oneHang(open, true));
    cold.push(await oneHang(open, false));
  }
  const rowsOf = (hangs: readonly Hang[], when: string, hasSpare: boolean) =>
    ROWS.map(([key, what, max]): Row => {
      // Without a spare, a worker has to start first.
      const goal = hasSpare || key === 'silence' ? max : undefined;
      const ours = timesOf(hangs.map((each) => each[key] * 1000));
      const against = `its deadline of ${DEADLINE_MS} ms`;
      return { what: `${what}, ${when}`, against, ours, theirs: DEADLINE, ratio: over(ours), ...(goal && { goal }) };
    });
  return [...rowsOf(warm, 'spare warm', true), ...rowsOf(cold, 'first call', false)];
}

const DEADLINE: Times = { best: DEADLINE_MS * 1000, median: DEADLINE_MS * 1000 };

function over({ best, median }: Times): Times {
  return { best: best / DEADLINE.best, median: median / DEADLINE.median };
}

async function oneHang(open: () => Promise<SandboxPort>, isWarm: boolean): Promise<Hang> {
  const pool = await open();
  const [add, loop] = [await load(pool, ADD), await load(pool, HANG)];
  if (isWarm) {
    await add();
    await pause(FURNISHED_MS);
  }
  const start = performance.now();
  const hung = loop();
  const next = hung.then(async ({ kind }) => {
    if (kind !== 'hang') throw new Error('the guest did not hang');
    await add();
    return performance.now() - start;
  });
  const [recovery, beside, silence] = await Promise.all([next, slowest(add, hung), longestSilence(hung)]);
  await pool.close();
  return { recovery, beside, silence };
}

interface End {
  readonly ok: boolean;
  readonly kind?: string;
}

async function load(pool: SandboxPort, source: string): Promise<() => Promise<End>> {
  const limits = { ...CALL_LIMITS, deadlineMs: DEADLINE_MS };
  const hash = sha256Text(source);
  await pool.load({ hash, name: 'bench', source, powers: [], limits });
  return async () => {
    const end = await pool.call({ hash, args: '{"a":20,"b":22}', seed: 0, now: 0 }).settled;
    if (end.ok && end.text !== '42') throw new Error(`the call came to ${end.text}`);
    return end;
  };
}

/** The slowest of calls in turn, until `end` settles. */
async function slowest(call: () => Promise<End>, end: Promise<unknown>): Promise<number> {
  let worst = 0;
  await until(end, async () => {
    const start = performance.now();
    if ((await call()).kind !== undefined) throw new Error('the call beside it failed');
    worst = Math.max(worst, performance.now() - start);
  });
  return worst;
}

async function longestSilence(end: Promise<unknown>): Promise<number> {
  let worst = 0;
  let last = performance.now();
  await until(end, async () => {
    worst = Math.max(worst, performance.now() - last - PAUSE_MS);
    last = performance.now();
  });
  return worst;
}

async function until(end: Promise<unknown>, again: () => Promise<void>): Promise<void> {
  const ended = end.then(() => true);
  do await again();
  while (!(await Promise.race([ended, pause(PAUSE_MS)])));
}

function pause(ms: number): Promise<false> {
  return new Promise((resolve) => setTimeout(() => resolve(false), ms));
}
