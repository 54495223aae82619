import { proxy, wrap } from 'comlink';
import type { LedgerRecord } from '../../../../core/index.ts';
import { pass } from '../../../../core/outcome.ts';
import type { DurableStore } from '../../../../workers/store/mirror/durable.ts';
import type { Append, LedgerStore } from '../../../../workers/store/store.ts';
import { sampleRun } from '../../../core/ledger/sample.ts';
import { finishedWorker } from '../../../finished-worker.ts';
import { valueOf } from '../store-suite.ts';
import script from './durable-worker.ts?script';

/** Store in a worker. The port makes every answer asynchronous. */
type Remote = LedgerStore & Pick<DurableStore, 'settle'> & { status(): Promise<ReturnType<DurableStore['status']>> };

interface Tab {
  open(name: string, tell?: (share: number) => void): Promise<Remote>;
  remove(what: 'database' | 'mirror' | 'end of the mirror', name: string): Promise<void>;
  mirrorText(name: string, epoch?: number): Promise<string[]>;
  fillDisk(isFull: boolean): Promise<void>;
  cutAfter(acts: number, counted?: readonly string[]): Promise<void>;
  replaceBy(name: string, backup: Blob, how: { acts?: number; share?: number }): Promise<boolean>;
  hold(): Promise<void>;
  release(): Promise<void>;
  releaseOnArrival(name: string): Promise<void>;
  putUntilAppended(name: string, append: Append): Promise<{ rows: number; isAppended: boolean }>;
  aside(name: string): Promise<string[]>;
  addMuch(
    name: string,
    ending: 'stored' | 'cancelled' | 'unreadable' | 'stopped',
  ): Promise<{ outcome: string; waiting: number; held: number; texts: string[] }>;
}

const workers: Worker[] = [];
export function newTab(): { readonly tab: Tab; readonly crash: () => void } {
  const worker = finishedWorker(script);
  workers.push(worker);
  return { tab: wrap<Tab>(worker) as unknown as Tab, crash: () => worker.terminate() };
}

/** Ends every worker: each test file calls it after each test. */
export function endTabs(): void {
  for (const worker of workers.splice(0)) worker.terminate();
}

export const newName = (): string => `durable-${crypto.randomUUID()}`;
export const [one, two] = [sampleRun(1, 3), sampleRun(2, 3)];

/** Store whose `restore` asks for its pages through the port. Its `exchange` does not cross: see `replaceBy`. */
export function asking(store: Remote): LedgerStore {
  const restore: LedgerStore['restore'] = (pages) => store.restore(proxy(pages));
  const own = { restore, exchange: undefined };
  return new Proxy(store, {
    get: (target, name) => (name in own ? own[name as keyof typeof own] : Reflect.get(target, name)),
  });
}

/** Store whose appends hold the lock of their run: it gathers before, and fills its index behind. */
export function locking(store: Remote): LedgerStore {
  const append: LedgerStore['append'] = async (...args) => {
    valueOf((await store.gather?.(args[0].run_id)) ?? pass(undefined));
    const done = await store.append(...args);
    valueOf((await store.fill?.()) ?? pass(undefined));
    return done;
  };
  return new Proxy(store, { get: (target, name) => (name === 'append' ? append : Reflect.get(target, name)) });
}

export async function fill(
  store: LedgerStore,
  { run_id, batches }: typeof one,
  from = 0,
  to = batches.length,
): Promise<void> {
  for (const batch of batches.slice(from, to)) valueOf(await store.append({ run_id, ...batch }, 'strict'));
}

export async function logOf(store: LedgerStore): Promise<LedgerRecord[]> {
  const texts = valueOf(await store.log(0, 1_000)).flatMap(({ records }) => records);
  return texts.map((text) => JSON.parse(text) as LedgerRecord);
}

export const file = (text: string | undefined) => [{ table: 'files' as const, key: 'a.md', value: text }];
