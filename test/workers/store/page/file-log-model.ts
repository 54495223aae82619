import { expect } from 'vitest';
import { hashText } from '../../../../core/hash.ts';
import { extend, headAfter, type Link, NO_RECORDS } from '../../../../core/ledger/chain.ts';
import { rootOf } from '../../../../core/ledger/tree.ts';
import { fillFromFiles } from '../../../../workers/store/page/epoch.ts';
import { FileLog } from '../../../../workers/store/page/file-log.ts';
import type { FillClock } from '../../../../workers/store/page/fill-queue.ts';
import type { Append, Durability } from '../../../../workers/store/store.ts';
import type { TableWrite } from '../../../../workers/store/tables.ts';
import { payload, runId } from '../../../core/ledger/sample.ts';
import { valueOf } from '../store-suite.ts';
import { type Life, MemoryDisk } from './memory-files.ts';

/** Clock that moves only by `tick`. */
function fakeClock() {
  let now = 0;
  const timers = new Set<{ readonly at: number; readonly act: () => void }>();
  const clock: FillClock = {
    now: () => now,
    after(ms, act) {
      const timer = { at: now + ms, act };
      timers.add(timer);
      return () => void timers.delete(timer);
    },
  };
  const tick = (ms: number): void => {
    now += ms;
    for (const timer of [...timers]) if (timer.at <= now && timers.delete(timer)) timer.act();
  };
  return { clock, tick };
}

/** A kernel on a disk in memory. */
export interface Kernel {
  readonly log: FileLog;
  readonly life: Life;
  readonly tick: (ms: number) => void;
}

/** Bytes of a page in a model: a few batches. */
export const SMALL_PAGE = 2_000;

export async function openKernel(
  disk: MemoryDisk,
  seen?: { size: number; root: string },
  { pageBytes = 4 << 20, life = { isDead: false } }: { pageBytes?: number; life?: Life } = {},
) {
  const { clock, tick } = fakeClock();
  const events = { onPlaced: () => undefined, onLost: async () => await read() };
  const log: FileLog = new FileLog(1, disk.folder(life), disk.index(life), events, { clock, pageBytes });
  const read = async () => {
    log.reset();
    const found = await fillFromFiles(log, seen);
    return found.ok ? log.claim() : found;
  };
  const found = valueOf(await fillFromFiles(log, seen));
  valueOf(await log.claim());
  const kernel: Kernel = { log, life, tick };
  return { kernel, event: found.event?.event };
}

let made = 0;
export function appendTo(run: number, known: readonly Link[], records: number): Append {
  const run_id = runId(run);
  const links: Link[] = [];
  const last = known.at(-1)?.record;
  const expected = last === undefined ? NO_RECORDS : headAfter(last);
  let head = expected;
  for (let nth = 0; nth < records; nth++) {
    const reason = { sha256: payload(`record ${made++}`).sha256, bytes: 1 };
    const link = extend(head, { kind: 'state', body: { event: 'resumed', reason } }, { run_id, epoch: 1, at: 1 });
    links.push(link);
    head = headAfter(link.record);
  }
  return { run_id, expected, records: links, payloads: [] };
}

export async function turns(count: number): Promise<void> {
  for (let nth = 0; nth < count; nth++) await Promise.resolve();
}

/** Two kernels, and what they have acknowledged and told. */
export class Model {
  readonly disk = new MemoryDisk();
  readonly runs = new Map<number, Link[]>();
  /** For each run, the records that a power cut cannot take. */
  readonly sure = new Map<number, number>();
  readonly told: { readonly size: number; readonly root: string }[] = [];
  private readonly owner = new Map<number, Kernel>();
  private readonly pageBytes: number | undefined;
  kernels: Kernel[] = [];

  constructor(pageBytes?: number) {
    this.pageBytes = pageBytes;
  }

  async open(): Promise<Kernel> {
    const { pageBytes } = this;
    const { kernel, event } = await openKernel(
      this.disk,
      this.told.at(-1),
      pageBytes === undefined ? {} : { pageBytes },
    );
    expect(event ?? 'good').not.toBe('lost');
    return kernel;
  }

  private async take(kernel: Kernel, run: number): Promise<void> {
    const before = this.owner.get(run);
    if (before === kernel) return;
    if (before !== undefined && !before.life.isDead) valueOf(await before.log.queue.settle());
    this.owner.set(run, kernel);
    valueOf(await kernel.log.take(runId(run)));
  }

  async append(
    kernel: Kernel,
    run: number,
    records: number,
    durability: Durability,
    tables: readonly TableWrite[] = [],
  ): Promise<void> {
    await this.take(kernel, run);
    const known = this.runs.get(run) ?? [];
    const append = { ...appendTo(run, known, records), tables };
    valueOf(await kernel.log.append(append, durability));
    this.runs.set(run, [...known, ...append.records]);
    if (durability === 'strict') this.sure.set(run, known.length + records);
  }

  /** Kills a kernel while it appends, and opens another; the append is there as a whole or not at all. */
  async crash(at: number, run: number, wait: number): Promise<void> {
    const kernel = this.kernels[at] as Kernel;
    await this.take(kernel, run);
    const known = this.runs.get(run) ?? [];
    const append = appendTo(run, known, 2);
    void kernel.log.append(append, 'strict').catch(() => undefined);
    await turns(wait);
    this.disk.kill(kernel.life);
    this.kernels[at] = await this.open();
    const found = await this.recordsOf(this.kernels[at] as Kernel, run);
    this.runs.set(run, found > known.length ? [...known, ...append.records] : known);
  }

  async tell(kernel: Kernel): Promise<void> {
    valueOf(await kernel.log.gather());
    const log = valueOf(await kernel.log.note());
    this.told.push({ size: log.size, root: hashText(rootOf(log)) });
  }

  async reopen(act: () => void): Promise<void> {
    for (const { life } of this.kernels) this.disk.kill(life);
    act();
    this.kernels = [await this.open(), await this.open()];
  }

  async recordsOf({ log }: Kernel, run: number): Promise<number> {
    return valueOf(await log.index.run(runId(run)))?.records ?? 0;
  }

  /** After a power cut the unflushed ends may be gone. */
  async cutPower(keep: number, names: boolean): Promise<void> {
    await this.reopen(() => this.disk.cutPower(keep, names));
    for (const [run, links] of this.runs) {
      const found = await this.recordsOf(this.kernels[0] as Kernel, run);
      expect(found).toBeGreaterThanOrEqual(this.sure.get(run) ?? 0);
      this.runs.set(run, links.slice(0, found));
    }
  }

  /** Every acknowledged record is in the index, in its run's order, and every told log is its beginning. */
  async check(): Promise<void> {
    await this.reopen(() => undefined);
    const { batches } = this.disk.state;
    for (const [run, links] of this.runs) {
      const texts = batches.filter(({ run_id }) => run_id === runId(run)).flatMap(({ records }) => records);
      expect(texts).toEqual(links.map(({ text }) => text));
    }
    for (const { size, root } of this.told) {
      const log = batches.find(({ after }) => after.log.size === size)?.after.log;
      expect(size === 0 || (log && hashText(rootOf(log)))).toBe(size === 0 || root);
    }
  }
}
