import { refuse } from '../../core/errors.ts';
import { sha256Hex } from '../../core/hash.ts';
import { readRecord } from '../../core/ledger/line.ts';
import type { LedgerRecord } from '../../core/ledger/record.ts';
import { type Outcome, pass } from '../../core/outcome.ts';
import type { PayloadPage } from '../api.ts';
import { PAGE, runPages } from './paging.ts';
import { parseRecords, recordsOf, rowOf } from './read-run.ts';
import type { Batch, LedgerStore, StoredPayload } from './store.ts';
import { SYSTEM } from './system-log.ts';

/**
 * Bytes of a payload that the records of a run name, verified against their hash: an attacker may be able to write to
 * our database. Of a proposal over the size limit only the beginning is stored. The search begins at record `upTo`, where
 * that is given, and a payload that is known to be erased is searched for nowhere else. `payload_altered`.
 */
export async function payloadOf(
  store: LedgerStore,
  run_id: string,
  sha256: string,
  upTo?: number,
): Promise<Outcome<Uint8Array | undefined>> {
  const near = upTo === undefined ? pass(undefined) : await store.payload(run_id, sha256, upTo);
  // a backup of a stranger may hold it with a later record than the one that the caller names
  const isNear = !near.ok || near.value !== undefined;
  if (!isNear && (await isErased(store, run_id, sha256))) return pass(undefined);
  const found = isNear ? near : await store.payload(run_id, sha256);
  if (!found.ok || found.value === undefined || sha256Hex(found.value) === sha256) return found;
  const { length } = found.value;
  const records = await recordsOf(store, run_id);
  if (!records.ok) return records;
  const isKept = records.value.some((record) => isBeginning(record, sha256, length));
  return isKept ? found : refuse('payload_altered', { sha256 });
}

/**
 * Payloads that are stored with the records of a run from record `from` on, as many as a page of batches holds, each
 * verified as by `payloadOf`: others are left out. One read for a page, where `payloadOf` searches for each payload.
 */
export async function payloadPage(store: LedgerStore, run_id: string, from: number): Promise<Outcome<PayloadPage>> {
  const batches = await store.read(run_id, from, PAGE + 1);
  if (!batches.ok) return batches;
  const page = batches.value.slice(0, PAGE);
  const next = batches.value[PAGE]?.run_seq;
  const payloads = page.flatMap((batch) => batch.payloads.filter((payload) => isNamed(payload, batch)));
  return pass({ payloads, ...(next !== undefined && { next }) });
}

/** True for the bytes of their hash, and for the beginning of a proposal, which the batch names with its length. */
function isNamed({ sha256, bytes }: StoredPayload, batch: Batch): boolean {
  if (sha256Hex(bytes) === sha256) return true;
  const records = parseRecords(batch.records, batch.run_seq);
  return records.ok && records.value.some((record) => isBeginning(record, sha256, bytes.length));
}

function isBeginning({ kind, body }: LedgerRecord, sha256: string, length: number): boolean {
  return kind === 'proposal' && body.payload.sha256 === sha256 && body.payload.kept === length;
}

/** The erasures that the log of a store tells of, as far as it was read. */
interface Erasures {
  /** Size of the log when it was last looked at. */
  size: number;
  /** Records of the log itself that were read. */
  read: number;
  /** Place in the log of the newest erasure of each payload, by the names of its run and of itself. */
  readonly places: Map<string, number>;
  /** Place in the log of the last batch of each run that was asked about; of a foreign run, behind every place. */
  readonly ends: Map<string, number>;
}

const known = new WeakMap<LedgerStore, Erasures>();

/**
 * True for a payload that the log says was erased behind the last record of its run, so that it cannot have been stored
 * again. A run of a backup may have come with such a sentence and with the bytes: there it counts for nothing. A log that
 * has not grown is read once, however many payloads are asked for.
 */
async function isErased(store: LedgerStore, run_id: string, sha256: string): Promise<boolean> {
  const head = await store.head();
  if (!head.ok) return false;
  const erasures = await erasuresOf(store, head.value.size);
  const place = erasures?.places.get(nameOf(run_id, sha256));
  if (erasures === undefined || place === undefined) return false;
  const end = erasures.ends.get(run_id) ?? (await endOf(store, run_id));
  erasures.ends.set(run_id, end);
  return end < place;
}

/** Reads what the log has told since it was last looked at; undefined where it cannot be read. */
async function erasuresOf(store: LedgerStore, size: number): Promise<Erasures | undefined> {
  const erasures = known.get(store) ?? { size: -1, read: 0, places: new Map(), ends: new Map() };
  if (erasures.size === size) return erasures;
  for await (const page of runPages(store, SYSTEM, erasures.read)) {
    if (!page.ok) return undefined;
    for (const batch of page.value) {
      for (const text of batch.records) addErased(erasures.places, text, batch.seq);
      erasures.read = Math.max(erasures.read, batch.run_seq + batch.records.length);
    }
  }
  erasures.size = size;
  erasures.ends.clear();
  known.set(store, erasures);
  return erasures;
}

function addErased(places: Erasures['places'], text: string, seq: number): void {
  const record = readRecord(text);
  if (typeof record === 'string') return;
  const { kind, body } = record.record;
  if (kind !== 'log' || body.event !== 'erased') return;
  for (const sha256 of body.payloads) places.set(nameOf(body.run, sha256), seq);
}

/** Place in the log of the last batch of a run; behind every place for a run of a backup, and where it cannot be told. */
async function endOf(store: LedgerStore, run_id: string): Promise<number> {
  const row = await rowOf(store, run_id);
  if (!row.ok || row.value === undefined || row.value.foreign === true) return Number.POSITIVE_INFINITY;
  const last = await store.read(run_id, row.value.records - 1, 1);
  return (last.ok ? last.value.at(-1)?.seq : undefined) ?? Number.POSITIVE_INFINITY;
}

function nameOf(run_id: string, sha256: string): string {
  return `${run_id} ${sha256}`;
}
