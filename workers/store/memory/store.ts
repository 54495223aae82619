import { refuse } from '../../../core/errors.ts';
import { type Frontier, rootOf } from '../../../core/ledger/tree.ts';
import { type Outcome, pass } from '../../../core/outcome.ts';
import type { RunRow } from '../../api.ts';
import {
  type Acknowledgement,
  type Append,
  acknowledge,
  assertChained,
  type Batch,
  EMPTY_LOG,
  type Exchange,
  isThere,
  type LedgerStore,
  type LogHead,
  nextBatch,
  type Page,
  type Pages,
  youngestFirst,
} from '../store.ts';
import { byKey, type TableName, type TableRow, type TableValue, type TableWrite } from '../tables.ts';

/** A log that several stores may have open, as tabs share a database. It lives as long as a store holds it. */
export interface MemoryLog {
  readonly batches: Batch[];
  readonly tables: Readonly<Record<TableName, Map<string, TableValue>>>;
}

export function emptyLog(): MemoryLog {
  return { batches: [], tables: { kept: new Map(), files: new Map(), symbols: new Map() } };
}

/** The ledger in memory: the whole contract except durability. */
export function openMemoryStore(log: MemoryLog = emptyLog()): LedgerStore {
  const ofRun = (run_id: string): readonly Batch[] => log.batches.filter((batch) => batch.run_id === run_id);
  const frontier = (): Frontier => log.batches.at(-1)?.after.log ?? EMPTY_LOG;
  const runs = (): readonly RunRow[] => {
    const standing = log.batches.filter(({ gone }) => gone === undefined);
    const rows = new Map(standing.map((batch) => [batch.run_id, batch.after.run]));
    return youngestFirst([...rows.values()]);
  };
  const head = (): LogHead => ({ size: frontier().size, root: rootOf(frontier()) });
  return {
    kind: 'memory',
    async append(append: Append): Promise<Outcome<Acknowledgement>> {
      assertChained(append);
      const batch = nextBatch(frontier(), lastOf(log, append.run_id)?.after.run, append);
      if (!batch.ok) {
        const there = log.batches.find((each) => isThere(each, append));
        return there === undefined ? batch : pass(acknowledge(there));
      }
      if (append.tables !== undefined) write(log, append.tables);
      log.batches.push(batch.value);
      return pass(acknowledge(batch.value));
    },
    async read(run_id: string, from = 0, most = Number.POSITIVE_INFINITY): Promise<Outcome<readonly Batch[]>> {
      const batches = ofRun(run_id).filter((batch) => batch.after.run.records > from);
      return pass(structuredClone(batches.slice(0, most)));
    },
    async payload(run_id: string, sha256: string, upTo = Number.POSITIVE_INFINITY) {
      const payloads = ofRun(run_id).flatMap((batch) => (batch.run_seq <= upTo ? batch.payloads : []));
      return pass(payloads.findLast((payload) => payload.sha256 === sha256)?.bytes.slice());
    },
    runs: async () => pass(runs()),
    head: async () => pass(head()),
    snapshot: async () => pass({ ...head(), runs: runs() }),
    async put(writes: Iterable<TableWrite>): Promise<Outcome<void>> {
      return pass(write(log, writes));
    },
    async get(table: TableName, key: string): Promise<Outcome<TableValue | undefined>> {
      return pass(structuredClone(log.tables[table].get(key)));
    },
    async all(table: TableName, after?: string, most?: number): Promise<Outcome<readonly TableRow[]>> {
      const rows = [...log.tables[table]].filter(([key]) => after === undefined || key > after);
      return pass(structuredClone(rows.toSorted(byKey).slice(0, most)));
    },
    async replace(batches: readonly Batch[]): Promise<Outcome<void>> {
      for (const batch of structuredClone(batches)) {
        log.batches[log.batches.findIndex(({ seq }) => seq === batch.seq)] = batch;
      }
      return pass(undefined);
    },
    tidy: async () => pass(undefined),
    async log(from: number, most: number): Promise<Outcome<readonly Batch[]>> {
      const batches = log.batches.filter(({ seq }) => seq >= from);
      return pass(structuredClone(batches.slice(0, most)));
    },
    async restore(pages: Pages): Promise<Outcome<void>> {
      const all = structuredClone(await allOf(pages));
      const first = all.flatMap(({ batches }) => batches)[0]?.seq;
      const found = frontier().size;
      if (first !== undefined && first !== found) return refuse('head_moved', { expected: first, found });
      for (const page of all) addPage(log, page);
      return pass(undefined);
    },
    async exchange(pages: Pages): Promise<Outcome<Exchange>> {
      const all = structuredClone(await allOf(pages));
      const commit = async (): Promise<Outcome<void>> => {
        clear(log);
        for (const page of all) addPage(log, page);
        return pass(undefined);
      };
      return pass({ commit, discard: async () => undefined });
    },
    async destroy(): Promise<Outcome<void>> {
      return pass(clear(log));
    },
    async close(): Promise<void> {},
  };
}

async function allOf(pages: Pages): Promise<readonly Page[]> {
  const all: Page[] = [];
  for (let page = await pages(0); page !== undefined; page = await pages(all.length)) all.push(page);
  return all;
}

function addPage(log: MemoryLog, { batches, tables }: Page): void {
  write(log, tables);
  log.batches.push(...batches);
}

function clear({ batches, tables }: MemoryLog): void {
  batches.length = 0;
  for (const table of Object.values(tables)) table.clear();
}

function write({ tables }: MemoryLog, writes: Iterable<TableWrite>): void {
  // a value that cannot be cloned throws here, before any row is written
  const copies = Array.from(writes, (row) => structuredClone(row));
  for (const { table, key, value } of copies) {
    if (value === undefined) tables[table].delete(key);
    else tables[table].set(key, value);
  }
}

function lastOf(log: MemoryLog, run_id: string): Batch | undefined {
  return log.batches.findLast((batch) => batch.run_id === run_id);
}
