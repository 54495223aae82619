import type { LedgerRecord } from '../../../../core/index.ts';
import { pass } from '../../../../core/outcome.ts';
import { type MethodNames, methodsAt, portOf } from '../../../../workers/lock/realm-port.ts';
import type { PageStore } from '../../../../workers/store/page/store.ts';
import type { Append, LedgerStore } from '../../../../workers/store/store.ts';
import { sampleRun } from '../../../core/ledger/sample.ts';
import { finishedWorker } from '../../../finished-worker.ts';
import { valueOf } from '../store-suite.ts';
import type { Paging } from './durable-worker.ts';
import script from './durable-worker.ts?script';

/** Store in a worker. The port makes every answer asynchronous. */
type Remote = LedgerStore & Pick<PageStore, 'settle'> & { status(): Promise<ReturnType<PageStore['status']>> };

/** The store as the worker serves it. Its `exchange` does not cross: see `replaceBy`. */
interface ServedStore
  extends Omit<Required<Remote>, 'kind' | 'scratch' | 'exchange' | 'unreadBytes' | 'unreadRows' | 'restore'> {
  restore(pages: MessagePort): ReturnType<LedgerStore['restore']>;
}

const STORE: MethodNames<ServedStore> = {
  append: true,
  read: true,
  payload: true,
  runs: true,
  run: true,
  head: true,
  snapshot: true,
  put: true,
  get: true,
  all: true,
  replace: true,
  log: true,
  tidy: true,
  staleCopies: true,
  restore: true,
  gather: true,
  fill: true,
  placed: true,
  isShared: true,
  destroy: true,
  close: true,
  settle: true,
  status: true,
};

interface Tab extends Omit<ServedTab, 'open'> {
  open(name: string): Promise<Remote>;
}

interface ServedTab {
  open(name: string): Promise<MessagePort>;
  remove(what: 'database' | 'mirror' | 'end of the mirror', name: string): Promise<void>;
  mirrorText(name: string, epoch?: number): Promise<string[]>;
  fillDisk(isFull: boolean): Promise<void>;
  keepTimers(): Promise<void>;
  fireTimers(): Promise<void>;
  deafen(): Promise<void>;
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

const TAB: MethodNames<ServedTab> = {
  open: true,
  remove: true,
  mirrorText: true,
  fillDisk: true,
  keepTimers: true,
  fireTimers: true,
  deafen: true,
  cutAfter: true,
  replaceBy: true,
  hold: true,
  release: true,
  releaseOnArrival: true,
  putUntilAppended: true,
  aside: true,
  addMuch: true,
};

const workers: Worker[] = [];
export function newTab(): { readonly tab: Tab; readonly crash: () => void } {
  const worker = finishedWorker(script);
  workers.push(worker);
  const served = methodsAt<ServedTab>(worker, TAB);
  const open: Tab['open'] = async (name) => {
    const store = methodsAt(await served.open(name), STORE);
    return { ...store, kind: 'indexeddb', restore: (pages) => store.restore(portOf<Paging>({ pages })) };
  };
  return { tab: { ...served, open }, crash: () => worker.terminate() };
}

/** Ends every worker: each test file calls it after each test. */
export function endTabs(): void {
  for (const worker of workers.splice(0)) worker.terminate();
}

export const newName = (): string => `durable-${crypto.randomUUID()}`;
export const [one, two] = [sampleRun(1, 3), sampleRun(2, 3)];

/** Store whose appends hold the lock of their run: it gathers before, and fills its index behind. */
export function locking(store: Remote): LedgerStore {
  const append: LedgerStore['append'] = async (...args) => {
    valueOf((await store.gather?.(args[0].run_id)) ?? pass(undefined));
    const done = await store.append(...args);
    valueOf((await store.fill?.()) ?? pass(undefined));
    return done;
  };
  return { ...store, append };
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
