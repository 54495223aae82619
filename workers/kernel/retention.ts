import { refuse } from '../../core/errors.ts';
import { sha256Hex } from '../../core/hash.ts';
import { encodeText } from '../../core/json/utf8.ts';
import type { LogBody } from '../../core/ledger/kinds/log.ts';
import { type Outcome, pass } from '../../core/outcome.ts';
import { parkedKey } from '../../core/run/powers/power-calls.ts';
import { hashIn } from '../audit/verify-log.ts';
import type { Ports } from '../ports.ts';
import { runPages } from '../store/paging.ts';
import { exportRun } from '../store/read-run.ts';
import type { Batch, LedgerStore } from '../store/store.ts';
import { recordInLog, SYSTEM } from '../store/system-log.ts';
import type { Alone } from './run-ownership.ts';

/** A run as a file, and the file's hash, which the log records. */
export interface RunArchive {
  readonly jsonl: string;
  readonly sha256: string;
}

/**
 * Archives, deletes and erases recorded data; each act is a record in the run `system`. Hashes always stay, because the
 * log's tree is built on them, and older checkpoints and files must still verify.
 */
export interface Retention {
  /** Exports the whole run, secrets included. The run stays until it is deleted. `run_absent` */
  archive(run_id: string): Promise<Outcome<RunArchive>>;
  /** Deletes a run's records and bytes. `run_absent`; `run_open` while the run is being written. */
  remove(run_id: string): Promise<Outcome<void>>;
  /**
   * Erases bytes that a run's records name, all or only `payloads`. Checks that need them report the erasure. As
   * `remove`.
   */
  erase(run_id: string, payloads?: readonly string[]): Promise<Outcome<void>>;
}

export function makeRetention(ports: Pick<Ports, 'store' | 'epoch'>, alone: Alone): Retention {
  const { store } = ports;
  const note = (body: LogBody) => recordInLog(store, ports.epoch?.() ?? 1, body);

  async function archive(run: string): Promise<Outcome<RunArchive>> {
    const jsonl = await exportRun(store, run, true);
    if (!jsonl.ok) return jsonl;
    const file = sha256Hex(encodeText(jsonl.value));
    // Count and head are the file's: the run may have grown since.
    const { count, head } = endIn(jsonl.value);
    const noted = await note({ event: 'archived', run, records: count, head, file });
    return noted.ok ? pass({ jsonl: jsonl.value, sha256: file }) : noted;
  }

  async function remove(run: string): Promise<Outcome<void>> {
    const head = await headOf(store, run);
    if (!head.ok) return head;
    if (run === SYSTEM) return refuse('run_open', { run_id: run });
    return alone(run, async () => {
      const noted = await note({ event: 'deleted', run, ...head.value });
      return noted.ok ? takeAway(store, run, withoutAll) : noted;
    });
  }

  async function erase(run: string, payloads?: readonly string[]): Promise<Outcome<void>> {
    const head = await headOf(store, run);
    if (!head.ok) return head;
    if (run === SYSTEM) return refuse('run_open', { run_id: run });
    return alone(run, async () => {
      const there = await payloadsOf(store, run);
      if (!there.ok) return there;
      const chosen = there.value.filter((sha256) => payloads?.includes(sha256) !== false);
      const noted = await note({ event: 'erased', run, payloads: chosen });
      return noted.ok ? takeAway(store, run, (batch) => withoutBytes(batch, new Set(chosen))) : noted;
    });
  }

  return { archive, remove, erase };
}

/** Count and head in the last line of an export that this program made. */
function endIn(jsonl: string): { readonly count: number; readonly head: string } {
  const last = jsonl.slice(jsonl.lastIndexOf('\n', jsonl.length - 2) + 1);
  return (JSON.parse(last) as { end: ReturnType<typeof endIn> }).end;
}

async function headOf(store: LedgerStore, run_id: string): Promise<Outcome<{ records: number; head: string }>> {
  const runs = await store.runs();
  if (!runs.ok) return runs;
  const row = runs.value.find((each) => each.run_id === run_id);
  return row === undefined ? refuse('run_absent', { run_id }) : pass({ records: row.records, head: row.head });
}

async function payloadsOf(store: LedgerStore, run_id: string): Promise<Outcome<readonly string[]>> {
  const found = new Set<string>();
  const read = await eachPage(store, run_id, async (batches) => {
    for (const { payloads } of batches) for (const { sha256 } of payloads) found.add(sha256);
    return pass(undefined);
  });
  return read.ok ? pass([...found]) : read;
}

/** Applies `less` to the run's batches, and drops the heap of its parked call, which holds the call's arguments. */
async function takeAway(store: LedgerStore, run_id: string, less: (batch: Batch) => Batch): Promise<Outcome<void>> {
  const replaced = await replaceAll(store, run_id, less);
  if (!replaced.ok) return replaced;
  const dropped = await store.put([{ table: 'kept', key: parkedKey(run_id), value: undefined }], 'strict');
  return dropped.ok ? store.tidy(run_id) : dropped;
}

/** Replaces only the batches that `less` changes. */
function replaceAll(store: LedgerStore, run_id: string, less: (batch: Batch) => Batch): Promise<Outcome<void>> {
  return eachPage(store, run_id, async (batches) => {
    const changed = batches.map(less).filter((batch, nth) => batch !== batches[nth]);
    return changed.length === 0 ? pass(undefined) : store.replace(changed);
  });
}

async function eachPage(
  store: LedgerStore,
  run_id: string,
  act: (batches: readonly Batch[]) => Promise<Outcome<void>>,
): Promise<Outcome<void>> {
  for await (const page of runPages(store, run_id)) {
    const done = page.ok ? await act(page.value) : page;
    if (!done.ok) return done;
  }
  return pass(undefined);
}

function withoutAll(batch: Batch): Batch {
  if (batch.gone !== undefined) return batch;
  const gone = batch.records.map(hashIn);
  return { ...batch, records: [], payloads: [], gone };
}

function withoutBytes(batch: Batch, erased: ReadonlySet<string>): Batch {
  const payloads = batch.payloads.filter(({ sha256 }) => !erased.has(sha256));
  return payloads.length === batch.payloads.length ? batch : { ...batch, payloads };
}
