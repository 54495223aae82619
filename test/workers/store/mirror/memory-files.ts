import { refuse } from '../../../../core/errors.ts';
import { hashText } from '../../../../core/hash.ts';
import { rootOf } from '../../../../core/ledger/tree.ts';
import { type Outcome, pass } from '../../../../core/outcome.ts';
import { weightOf } from '../../../../workers/store/journal/compaction.ts';
import type { ByteFile } from '../../../../workers/store/journal/file.ts';
import type { BatchOrder } from '../../../../workers/store/journal/frame.ts';
import type { FileFolder } from '../../../../workers/store/mirror/folder.ts';
import { type LogIndex, NOTED } from '../../../../workers/store/mirror/log-index.ts';
import { type IndexPlan, planPlaces, type Waiting } from '../../../../workers/store/mirror/plan.ts';
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
}

/** Private files and their index in memory, with kernels that die, a database that is wiped, and power cuts. */
export class MemoryDisk {
  readonly files = new Map<string, MemoryFile>();
  state: IndexState = EMPTY;
  /** State that a power cut leaves at least. */
  private sure: IndexState = EMPTY;

  kill(life: Life): void {
    life.isDead = true;
    for (const file of this.files.values()) if (file.holder === life) file.holder = undefined;
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

  folder(life: Life): FileFolder {
    return {
      names: async () => alive(life, [...this.files.keys()]),
      blob: async (name) => {
        const file = this.files.get(name);
        return alive(life, file && new Blob([file.bytes.slice()]));
      },
      open: async (name) => {
        await alive(life, undefined);
        const file = this.files.get(name) ?? { bytes: new Uint8Array(), flushed: 0, holder: undefined };
        if (file.holder !== undefined) return undefined;
        file.holder = life;
        this.files.set(name, file);
        return accessTo(file, life);
      },
      remove: async (name) => {
        await alive(life, undefined);
        if (this.files.get(name)?.holder === undefined) this.files.delete(name);
      },
    };
  }

  index(life: Life): LogIndex {
    const commit = (next: Partial<IndexState>, durability: Durability = 'relaxed'): void => {
      this.state = { ...this.state, ...next };
      if (durability === 'strict') this.sure = this.state;
    };
    const frontier = () => this.state.batches.at(-1)?.after.log ?? EMPTY_LOG;
    const told = async <T>(read: () => T): Promise<Outcome<T>> => {
      await alive(life, undefined);
      const value = read();
      return alive(life, pass(value));
    };
    return {
      place: async (waiting, { durability, floor }) => {
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
        }),
      unnoted: () =>
        told(() => {
          const log = frontier();
          const keys = [...this.state.order.keys()].filter((from) => from >= (this.state.offsets.get(NOTED) ?? 0));
          const [from] = keys.toSorted((one, other) => one - other);
          const order = keys.toSorted((one, other) => one - other).flatMap((key) => this.state.order.get(key) ?? []);
          return { note: from === undefined ? undefined : { from, order, root: hashText(rootOf(log)) }, log };
        }),
      setNoted: (size) => told(() => commit({ offsets: new Map([...this.state.offsets, [NOTED, size]]) }, 'strict')),
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

  private endsFor(waiting: readonly Waiting[]) {
    const { batches } = this.state;
    const runs = new Map(batches.map(({ run_id, after }) => [run_id, after.run]));
    const heads = new Map<PendingBatch, string>();
    for (const { batch, links } of waiting) {
      const there = batches.find((each) => each.run_id === batch?.run_id && each.run_seq === batch.run_seq);
      if (batch !== undefined && links !== undefined && there !== undefined) heads.set(batch, there.after.run.head);
    }
    return { log: batches.at(-1)?.after.log ?? EMPTY_LOG, runs, heads };
  }

  private after(plan: IndexPlan, from: number): IndexState {
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

function accessTo(file: MemoryFile, life: Life): ByteFile {
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
      held();
      const grown = new Uint8Array(Math.max(file.bytes.length, at + bytes.length));
      grown.set(file.bytes);
      grown.set(bytes, at);
      file.bytes = grown;
    },
    truncate: (size) => {
      held();
      file.bytes = file.bytes.slice(0, size);
    },
    flush: async () => {
      held();
      file.flushed = file.bytes.length;
    },
    close: () => {
      if (file.holder === life) file.holder = undefined;
    },
  };
}
