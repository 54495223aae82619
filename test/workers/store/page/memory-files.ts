import { refuse } from '../../../../core/errors.ts';
import { hashText } from '../../../../core/hash.ts';
import { concatBytes } from '../../../../core/json/utf8.ts';
import { rootOf } from '../../../../core/ledger/tree.ts';
import { type Outcome, pass } from '../../../../core/outcome.ts';
import { weightOf } from '../../../../workers/store/journal/compaction.ts';
import type { BatchOrder } from '../../../../workers/store/journal/frame.ts';
import type { ByteFile } from '../../../../workers/store/journal/journal.ts';
import { NOTED } from '../../../../workers/store/page/database.ts';
import type { DatabaseStore } from '../../../../workers/store/page/database-store.ts';
import type { EpochFolders } from '../../../../workers/store/page/epoch.ts';
import type { LogIndex } from '../../../../workers/store/page/log-index.ts';
import type { FileFolder } from '../../../../workers/store/page/opfs.ts';
import type { Unplaced } from '../../../../workers/store/page/places.ts';
import { type Placement, planPlaces } from '../../../../workers/store/page/places.ts';
import { type Batch, type Durability, EMPTY_LOG, type PendingBatch } from '../../../../workers/store/store.ts';
import type { TableValue } from '../../../../workers/store/tables.ts';

/** A file of a disk in memory. */
interface MemoryFile {
  bytes: Uint8Array;
  flushed: number;
  holder: Life | undefined;
}

interface IndexState {
  readonly batches: readonly Batch[];
  readonly order: ReadonlyMap<number, BatchOrder>;
  readonly offsets: ReadonlyMap<string, number>;
  readonly rows: ReadonlyMap<string, TableValue>;
}

const EMPTY: IndexState = { batches: [], order: new Map(), offsets: new Map(), rows: new Map() };

/** A kernel of the model: after its death its calls never answer. */
export interface Life {
  isDead: boolean;
  /** Changes of files and index that the kernel survives; the next change does not happen. Absent: any number. */
  left?: number;
  onDeath?: () => void;
}

/** Private files and their index in memory, with kernels that die, a database that is wiped, and power cuts. */
export class MemoryDisk {
  /** Files of the first epoch by their names, files of a later epoch with `e<epoch>/` before it. */
  readonly files = new Map<string, MemoryFile>();
  private readonly epochs = new Set<number>();
  state: IndexState = EMPTY;
  /** Bytes that the files can still take. */
  room: number = Number.POSITIVE_INFINITY;
  /** State that a power cut leaves at least. */
  private sure: IndexState = EMPTY;

  kill(life: Life): void {
    life.isDead = true;
    for (const file of this.files.values()) if (file.holder === life) file.holder = undefined;
    life.onDeath?.();
  }

  /** Counts a change, and kills a kernel that has no change left. */
  private count(life: Life): void {
    if (life.left === undefined || life.isDead) return;
    if (life.left > 0) life.left -= 1;
    else this.kill(life);
  }

  /** Runs a kernel that dies behind this number of changes; `done` is absent unless it ends before that. */
  async cutAfter<T>(
    left: number,
    act: (life: Life) => Promise<T>,
    life: Life = { isDead: false },
  ): Promise<{ readonly done: T | undefined }> {
    life.left = left;
    const death = new Promise<undefined>((resolve) => {
      life.onDeath = () => resolve(undefined);
    });
    // a synchronous call of a dead kernel throws
    const acting = act(life).catch((reason: unknown) => {
      if (!life.isDead) throw reason;
      return undefined;
    });
    const done = await Promise.race([acting, death]);
    const isOver = !life.isDead;
    this.kill(life);
    return { done: isOver ? done : undefined };
  }

  /** Makes a file of the first epoch that no kernel holds. */
  write(name: string, parts: readonly Uint8Array[]): void {
    const bytes = concatBytes(parts);
    this.files.set(name, { bytes, flushed: bytes.length, holder: undefined });
  }

  wipe(): void {
    this.state = EMPTY;
    this.sure = EMPTY;
  }

  /** Takes what was not flushed: `keep` tells how much of each unflushed end is left, `names` whether files stay. */
  cutPower(keep: number, names: boolean): void {
    for (const [name, file] of this.files) {
      if (!names) this.files.delete(name);
      file.bytes = file.bytes.slice(0, file.flushed + Math.floor((file.bytes.length - file.flushed) * keep));
      file.flushed = file.bytes.length;
    }
    this.state = this.sure;
  }

  folder(life: Life, epoch = 1): FileFolder {
    const path = (name: string): string => (epoch === 1 ? name : `e${epoch}/${name}`);
    const isHere = (each: string): boolean => (epoch === 1 ? !each.includes('/') : each.startsWith(path('')));
    return {
      names: async () =>
        alive(
          life,
          [...this.files.keys()].filter(isHere).map((each) => each.slice(path('').length)),
        ),
      blob: async (name) => {
        const file = this.files.get(path(name));
        return alive(life, file && new Blob([file.bytes.slice()]));
      },
      open: async (name) => {
        if (!this.files.has(path(name))) this.count(life);
        await alive(life, undefined);
        const file = this.files.get(path(name)) ?? { bytes: new Uint8Array(), flushed: 0, holder: undefined };
        if (file.holder !== undefined) return undefined;
        file.holder = life;
        this.files.set(path(name), file);
        return this.accessTo(file, life);
      },
      remove: async (name) => {
        this.count(life);
        await alive(life, undefined);
        if (this.files.get(path(name))?.holder === undefined) this.files.delete(path(name));
      },
    };
  }

  folders(life: Life): EpochFolders {
    return {
      epochs: () => alive(life, [...this.epochs]),
      folder: async (epoch) => {
        if (!this.epochs.has(epoch)) this.count(life);
        await alive(life, undefined);
        this.epochs.add(epoch);
        return this.folder(life, epoch);
      },
      forget: async () => undefined,
      remove: async () => undefined,
    };
  }

  /** The database that holds the index: its reads, and the restore of a backup. */
  store(life: Life): Pick<DatabaseStore, 'read' | 'log' | 'all' | 'frontier' | 'forget' | 'restore'> {
    return {
      read: async (run_id) => alive(life, pass(this.state.batches.filter((batch) => batch.run_id === run_id))),
      log: async (from, most) => alive(life, pass(this.state.batches.filter(({ seq }) => seq >= from).slice(0, most))),
      all: async (table, after = '') => {
        const rows = [...this.state.rows].filter(([key]) => key.startsWith(`${table} `));
        const named = rows.map(([key, value]) => [key.slice(table.length + 1), value] as const);
        return alive(life, pass(named.filter(([key]) => key > after)));
      },
      frontier: async () => alive(life, pass(this.state.batches.at(-1)?.after.log ?? EMPTY_LOG)),
      forget: () => undefined,
      restore: async (pages) => {
        let next = this.state;
        for (let nth = 0, page = await pages(nth); page; page = await pages(++nth)) {
          const { batches, tables } = page;
          const rows = new Map(tables.map(({ table, key, value }) => [`${table} ${key}`, value as TableValue]));
          next = { ...next, batches: [...next.batches, ...batches], rows: new Map([...next.rows, ...rows]) };
        }
        this.count(life);
        await alive(life, undefined);
        this.state = next;
        return alive(life, pass(undefined));
      },
    };
  }

  index(life: Life): LogIndex {
    const commit = (next: Partial<IndexState>, durability: Durability = 'relaxed'): void => {
      this.state = { ...this.state, ...next };
      if (durability === 'strict') this.sure = this.state;
    };
    const frontier = () => this.state.batches.at(-1)?.after.log ?? EMPTY_LOG;
    const told = async <T>(read: () => T, isChange = false): Promise<Outcome<T>> => {
      if (isChange) this.count(life);
      await alive(life, undefined);
      const value = read();
      return alive(life, pass(value));
    };
    return {
      place: async (waiting, { durability, floor }) => {
        this.count(life);
        await alive(life, undefined);
        const { size } = frontier();
        if (size < floor) return refuse('log_lost', { size: floor, found: size });
        const plan = planPlaces(this.endsFor(waiting), waiting);
        commit(this.after(plan, size), durability);
        return alive(life, pass(plan));
      },
      offsets: () => told(() => this.state.offsets),
      setOffsets: (changes, durability) =>
        told(() => {
          const offsets = new Map(this.state.offsets);
          for (const [key, value] of changes) {
            if (value === undefined) offsets.delete(key);
            else offsets.set(key, value);
          }
          commit({ offsets }, durability);
        }, true),
      unnoted: () =>
        told(() => {
          const log = frontier();
          const keys = [...this.state.order.keys()].filter((from) => from >= (this.state.offsets.get(NOTED) ?? 0));
          const [from] = keys.toSorted((one, other) => one - other);
          const order = keys.toSorted((one, other) => one - other).flatMap((key) => this.state.order.get(key) ?? []);
          return { note: from === undefined ? undefined : { from, order, root: hashText(rootOf(log)) }, log };
        }),
      setNoted: (size) =>
        told(() => commit({ offsets: new Map([...this.state.offsets, [NOTED, size]]) }, 'strict'), true),
      frontier: () => told(frontier),
      rootAt: (size) =>
        told(() => {
          const log = this.state.batches.find(({ after }) => after.log.size === size)?.after.log;
          return log && hashText(rootOf(log));
        }),
      records: () => told(() => new Map(this.state.batches.map(({ run_id, after }) => [run_id, after.run.records]))),
      run: (run_id) => told(() => this.state.batches.findLast((batch) => batch.run_id === run_id)?.after.run),
      batchAt: (run_id, run_seq) =>
        told(() => this.state.batches.find((batch) => batch.run_id === run_id && batch.run_seq === run_seq)),
    };
  }

  private accessTo(file: MemoryFile, life: Life): ByteFile {
    const held = (): void => {
      if (life.isDead || file.holder !== life) throw new DOMException('closed', 'InvalidStateError');
    };
    return {
      size: () => {
        held();
        return file.bytes.length;
      },
      read: (into, at) => {
        const part = file.bytes.subarray(at, at + into.length);
        into.set(part);
        return part.length;
      },
      write: (bytes, at) => {
        this.count(life);
        held();
        const taken = bytes.subarray(0, Math.min(bytes.length, this.room));
        const grown = new Uint8Array(Math.max(file.bytes.length, at + taken.length));
        grown.set(file.bytes);
        grown.set(taken, at);
        this.room -= grown.length - file.bytes.length;
        file.bytes = grown;
        if (taken.length < bytes.length) throw new DOMException('The disk is full.', 'QuotaExceededError');
      },
      truncate: (size) => {
        this.count(life);
        held();
        this.room += file.bytes.length - size;
        file.bytes = file.bytes.slice(0, size);
      },
      flush: async () => {
        this.count(life);
        held();
        file.flushed = file.bytes.length;
      },
      close: () => {
        if (file.holder === life) file.holder = undefined;
      },
    };
  }

  private endsFor(waiting: readonly Unplaced[]) {
    const { batches } = this.state;
    const runs = new Map(batches.map(({ run_id, after }) => [run_id, after.run]));
    const heads = new Map<PendingBatch, string>();
    for (const { batch, links } of waiting) {
      const there = batches.find((each) => each.run_id === batch?.run_id && each.run_seq === batch.run_seq);
      if (batch !== undefined && links !== undefined && there !== undefined) heads.set(batch, there.after.run.head);
    }
    return { log: batches.at(-1)?.after.log ?? EMPTY_LOG, runs, heads };
  }

  private after(plan: Placement, from: number): IndexState {
    const offsets = new Map(this.state.offsets);
    for (const [file, end] of plan.offsets) offsets.set(file, Math.max(end, offsets.get(file) ?? 0));
    const order = new Map(this.state.order);
    if (plan.order.length > 0) order.set(from, plan.order);
    const rows = new Map(plan.clears ? [] : this.state.rows);
    for (const { table, key, value } of plan.rows) {
      if (value === undefined) rows.delete(`${table} ${key}`);
      else rows.set(`${table} ${key}`, value);
    }
    const batches = [...this.state.batches, ...plan.batches].map((batch) => {
      const less = plan.less.find((each) => each.run_id === batch.run_id && each.run_seq === batch.run_seq);
      if (less === undefined || weightOf(less) >= weightOf(batch)) return batch;
      const { run: _, ...contents } = less;
      return { seq: batch.seq, ...contents, after: batch.after };
    });
    return { batches, order, offsets, rows };
  }
}

/** The value some turns later; never for a dead kernel. */
async function alive<T>(life: Life, value: T): Promise<T> {
  for (let turn = 0; turn < 3; turn++) await Promise.resolve();
  return life.isDead ? new Promise(() => undefined) : value;
}
