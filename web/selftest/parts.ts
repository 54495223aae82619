import { type CapabilityDefinition, type LedgerRecord, SallyportError, sha256Hex } from '../../core/index.ts';
import type { ModelPort, Run, Runtime, RuntimeOptions } from '../../workers/api.ts';
import { loadPart } from '../../workers/load-part.ts';
import type { Facts, PartId, PartResult, Reason } from './result.ts';
import { saidBy } from './result.ts';

/** Name of the ledger of the test, which shares nothing with the ledgers of the page's own programs. */
export const DATABASE = 'selftest';

/** Ms that a part may take on a slow phone. */
const LIMIT_MS: { readonly [P in PartId]: number } = {
  start: 60_000,
  lock: 5_000,
  conformance: 300_000,
  storage: 60_000,
  files: 10_000,
  refused: 30_000,
  locks: 60_000,
  workers: 60_000,
  speed: 120_000,
  offline: 60_000,
  reload: 60_000,
  tab: 120_000,
};

/** Where a test runs: a page, or a program of Node. */
export interface TestPlace {
  /** True where several runtimes, as those of tabs, have the ledger open. */
  readonly isShared: boolean;
  /** Opens the ledger of the test, as any program opens its own. */
  open(options: RuntimeOptions): Promise<Runtime>;
  /** A runtime in memory, for the vectors. */
  openInMemory(options: RuntimeOptions): Promise<Runtime>;
}

/** A part that a device cannot try. */
export class NotTried extends Error {
  readonly reason: Reason;
  constructor(reason: Reason, said = '') {
    super(said);
    this.reason = reason;
  }
}

/** Work of a part: resolves with its facts, and throws where it fails. */
type Act = (test: DeviceTest) => Promise<Facts>;

const base = { version: '1.0.0', effect: 'pure', args: { type: 'object' } } as const;

/** Capabilities of the test: a sum, counted work, and a call that hangs in the engine until its worker is terminated. */
const CAPABILITIES: readonly CapabilityDefinition[] = [
  { ...base, name: 'selftest.add', description: 'Adds.', source: 'export default ({ a, b }) => a + b' },
  {
    ...base,
    name: 'selftest.count',
    description: 'Counts to a million.',
    source: 'export default () => { let sum = 0; for (let at = 0; at < 1e6; at++) sum += at; return sum; }',
    limits: { deadlineMs: 60_000 },
  },
  {
    ...base,
    name: 'selftest.hang',
    description: 'Hangs.',
    source: 'export default () => [].indexOf.call({ length: 2 ** 53 - 1 }, 1)',
    limits: { deadlineMs: 300 },
  },
];

export const OPTIONS: RuntimeOptions = {
  capabilities: CAPABILITIES,
  grants: CAPABILITIES.map(({ name }) => ({ capability: name, mode: 'allow' })),
  guard: false,
  onNotice: () => undefined,
};

/** What the parts of a test share: its runtime, and what tells how far a part is. */
export class DeviceTest {
  readonly place: TestPlace;
  readonly signal: AbortSignal;
  readonly tell: (share: number) => void;
  #opened: Promise<Runtime> | undefined;
  readonly #all: Set<Promise<Runtime>> = new Set();
  #isOver = false;

  constructor(place: TestPlace, signal: AbortSignal, tell: (share: number) => void = () => undefined) {
    this.place = place;
    this.signal = signal;
    this.tell = tell;
  }

  /** The runtime of the test over its ledger, opened with the first part that needs it. */
  runtime(): Promise<Runtime> {
    this.#opened ??= this.another();
    return this.#opened;
  }

  /** One more runtime over the same ledger, as of another tab. */
  async another(): Promise<Runtime> {
    if (this.#isOver) throw new NotTried('canceled');
    const opening = this.place.open(OPTIONS);
    this.#all.add(opening);
    return opening;
  }

  async close(): Promise<void> {
    const opened = this.#opened;
    this.#opened = undefined;
    await (await opened?.catch(() => undefined))?.close();
  }

  /**
   * Deletes the ledger of the test. A part that was canceled, or took too long, may still have a runtime: it is closed, and
   * the part opens no other.
   */
  async cleanUp(): Promise<void> {
    this.#isOver = true;
    await Promise.all(Array.from(this.#all, async (opening) => (await opening.catch(() => undefined))?.close()));
    // without capabilities, whose images would be made again
    const runtime = await this.place.open({ onNotice: () => undefined });
    await runtime.storage.deleteEverything().catch(async (error: unknown) => {
      await runtime.close();
      throw error;
    });
  }
}

/** Does the work of a part within its time. */
export async function tryPart(id: PartId, act: Act, test: DeviceTest): Promise<PartResult> {
  const began = performance.now();
  const took = (): number => Math.round(performance.now() - began);
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new TimeOver()), LIMIT_MS[id]);
    test.signal.addEventListener('abort', () => reject(new NotTried('canceled')), { once: true });
  });
  try {
    if (test.signal.aborted) throw new NotTried('canceled');
    const facts = await Promise.race([act(test), late]);
    return { outcome: 'pass', ms: took(), ...(Object.keys(facts).length > 0 && { facts }) };
  } catch (error) {
    return { ms: took(), ...failureOf(id, error) };
  } finally {
    clearTimeout(timer);
  }
}

class TimeOver extends Error {}

function failureOf(id: PartId, error: unknown): Omit<PartResult, 'ms'> {
  if (error instanceof NotTried)
    return { outcome: 'not_tried', reason: error.reason, ...(error.message !== '' && { said: saidBy(error) }) };
  if (error instanceof TimeOver) return { outcome: 'fail', reason: 'time', said: `${LIMIT_MS[id] / 1000} s` };
  if (error instanceof Found) return { outcome: 'fail', reason: error.reason, said: error.message, facts: error.facts };
  return { outcome: 'fail', reason: 'error', said: saidBy(error) };
}

/** A part that failed, with the facts that it found. */
class Found extends Error {
  readonly reason: Reason;
  readonly facts: Facts;
  constructor(reason: Reason, said: string, facts: Facts) {
    super(saidBy(said));
    this.reason = reason;
    this.facts = facts;
  }
}

function must(isSo: boolean, said: string): void {
  if (!isSo) throw new Error(said);
}

const ms = (began: number): number => Math.round((performance.now() - began) * 100) / 100;

/** Calls a capability of the test in a session of its own, and returns the run. */
export async function add(runtime: Runtime, a: number): Promise<string> {
  const session = runtime.openSession({ label: 'selftest' });
  const called = await session.call('selftest.add', { a, b: 1 });
  must(called.ok && called.value === a + 1, `a call returned ${JSON.stringify(called)}`);
  await session.close();
  return session.run.id;
}

const start: Act = async (test) => {
  const began = performance.now();
  const runtime = await test.runtime();
  const startMs = ms(began);
  await add(runtime, 1);
  const { kind, mirror = 'none' } = runtime.info.store;
  const { key } = await runtime.ledger.checkpoint();
  const { IntersectionObserverEntry: entry } = globalThis as {
    readonly IntersectionObserverEntry?: { prototype: object };
  };
  return {
    store: kind,
    mirror,
    signs: key !== undefined,
    sees: entry !== undefined && 'isVisible' in entry.prototype,
    startMs,
  };
};

const lock: Act = async (test) => {
  const { isolation, probes } = (await test.runtime()).info;
  if (isolation === 'development') throw new NotTried('development');
  const open = probes.filter(({ blocked }) => !blocked).map(({ name }) => name);
  if (isolation === 'unlocked') throw new Found('unlocked', open.join(', '), { isolation });
  return { isolation };
};

const conformance: Act = async (test) => {
  const { conform } = await loadPart(() => import('./conformance.ts'));
  const runtime = await test.place.openInMemory({ guard: false, onNotice: () => undefined });
  try {
    const { vectors, failed } = await conform(runtime, test.tell, test.signal);
    const facts = { vectors, passed: vectors - failed.length };
    if (failed.length > 0) throw new Found('error', failed.join('; '), facts);
    return facts;
  } finally {
    await runtime.close();
  }
};

const storage: Act = async (test) => {
  const { kind, reason = '' } = (await test.runtime()).info.store;
  if (kind === 'memory') throw new NotTried('no_store', reason);
  const id = await add(await test.runtime(), 2);
  await test.close();
  const again = await test.runtime();
  must(
    (await again.runs()).some((run) => run.run_id === id),
    'a run is gone after the ledger was closed',
  );
  must((await again.ledger.verify(id)).ok, 'a run is altered after the ledger was closed');
  const { storage: disk } = Object(globalThis.navigator) as { readonly storage?: StorageManager };
  const persisted = await disk?.persisted?.();
  const { usage: usedBytes, quota: quotaBytes } = (await disk?.estimate?.()) ?? {};
  return {
    ...(persisted !== undefined && { persisted }),
    ...(usedBytes !== undefined && { usedBytes }),
    ...(quotaBytes !== undefined && { quotaBytes }),
  };
};

/** The counted work of these is printed and never judged. */
const speed: Act = async (test) => {
  const runtime = await test.runtime();
  const session = runtime.openSession({ label: 'selftest' });
  await session.call('selftest.add', { a: 0, b: 0 });
  const took: number[] = [];
  for (let at = 0; at < CALLS; at++) {
    const began = performance.now();
    await session.call('selftest.add', { a: at, b: 1 });
    took.push(ms(began));
    test.tell((at + 1) / CALLS);
  }
  await session.call('selftest.count', {});
  const counting = performance.now();
  const counted = await session.call('selftest.count', {});
  const guestMs = ms(counting);
  must(counted.ok && counted.value === 499_999_500_000, 'the counted work has another result');
  await session.close();
  const bytes = new Uint8Array(HASHED_BYTES);
  const hashing = performance.now();
  sha256Hex(bytes);
  return { callMs: took.toSorted((one, other) => one - other)[CALLS >> 1] ?? 0, guestMs, hashMs: ms(hashing) };
};

/** Gated calls, of which the median is told. */
const CALLS = 20;
/** Bytes whose hash is computed. */
const HASHED_BYTES = 1 << 20;

const workers: Act = async (test) => {
  const runtime = await test.runtime();
  const session = runtime.openSession({ label: 'selftest' });
  await session.call('selftest.add', { a: 1, b: 1 });
  const began = performance.now();
  const hung = await session.call('selftest.hang', {});
  const endedMs = ms(began);
  must(!hung.ok, 'a call that hangs came to an end');
  const next = performance.now();
  const called = await session.call('selftest.add', { a: 2, b: 2 });
  must(called.ok && called.value === 4, 'no call ran after a worker was terminated');
  const nextMs = ms(next);
  await session.close();
  return { endedMs, nextMs };
};

/** Proposals of a run that two tabs write in turn. */
function calling(times: number): ModelPort {
  let left = times;
  return {
    id: 'selftest',
    locality: { kind: 'local' },
    propose: async () => {
      left -= 1;
      const call = { next_step: { tool: 'selftest.add', arguments: { a: left, b: 1 }, goal: 'add' } };
      return { text: JSON.stringify(left < 0 ? { done: true, message: '' } : call) };
    },
  };
}

/** A run that is paused behind its first step, for another tab to take over. */
export async function openShared(runtime: Runtime): Promise<Run> {
  const run = runtime.start({ dialect: 'xct', task: 'Add.', model: calling(3), paused: true });
  await run.step();
  return run;
}

/**
 * What the other tab does with a shared run: it may not write it while the first tab does, takes it over, and ends it.
 * Throws where it may, or cannot.
 */
export async function takeOver(runtime: Runtime, run_id: string, signal: AbortSignal): Promise<void> {
  const code = await runtime.resume(run_id, calling(1)).then(
    () => 'none',
    (error: unknown) => (error instanceof SallyportError ? error.code : String(error)),
  );
  must(code === 'run_open', `a run that another tab writes was refused by ${code}`);
  const run = await runtime.resume(run_id, calling(1), { takeOver: true, signal });
  await run.run();
  await run.result;
}

/** Throws unless the run that was taken over is whole, with the steps of both tabs. */
export async function checkShared(runtime: Runtime, run_id: string): Promise<void> {
  must((await runtime.ledger.verify(run_id)).ok, 'the run of two tabs is altered');
  const records: readonly LedgerRecord[] = await runtime.ledger.records(run_id);
  const receipts = records.filter(({ kind }) => kind === 'receipt').length;
  must(receipts === SHARED_RECEIPTS, `the run of two tabs has ${receipts} receipts`);
}

/** The call of the first tab, the call of the other, and the end. */
const SHARED_RECEIPTS = 3;

const locks: Act = async (test) => {
  const first = await test.runtime();
  if (first.info.store.kind === 'memory') throw new NotTried('no_store', first.info.store.reason);
  if (!test.place.isShared) throw new NotTried('no_page');
  if (globalThis.navigator.locks === undefined) throw new NotTried('no_locks');
  const run = await openShared(first);
  const other = await test.another();
  try {
    await takeOver(other, run.id, test.signal);
    await checkShared(other, run.id);
  } finally {
    await other.close();
  }
  return {};
};

/** The parts that begin without a person, except those of `page-parts.ts`. */
export const COMMON: { readonly [P in PartId]?: Act } = { start, lock, conformance, storage, locks, workers, speed };
export type { Act };
