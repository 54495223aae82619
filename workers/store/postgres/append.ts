import { refuse } from '../../../core/errors.ts';
import { type Outcome, pass } from '../../../core/outcome.ts';
import type { RunRow } from '../../api.ts';
import { type BatchItem, BatchQueue } from '../../async/batch-queue.ts';
import {
  type Acknowledgement,
  type Append,
  acknowledge,
  assertChained,
  type Batch,
  type Durability,
  EMPTY_LOG,
  isThere,
  nextBatch,
} from '../store.ts';
import { addBatches, type EncodedBatch, readBatch } from './batches.ts';
import { makeStatement, type PgConnection, type Query } from './connection.ts';
import { type BatchEnd, KnownEnds } from './ends.ts';
import { CONTENT, claimIn, claimOf, type FoundClaim, IS_CURRENT, type PgLeases } from './leases.ts';
import { type EncodedRow, encodeWrite, writeEncoded } from './rows.ts';
import type { LogWitness } from './witness.ts';

/** An append that waits for its transaction. */
interface WaitingAppend {
  readonly append: Append;
  readonly rows: readonly EncodedRow[];
  readonly durability: Durability;
}

type Answer = Outcome<Acknowledgement>;
type WaitingItem = BatchItem<WaitingAppend, Answer>;

/** Appends of a transaction: as many, and of so many bytes. */
const GROUP = 256;
const GROUP_BYTES = 4_194_304;

/** The frame, or null where the store has written it: its hash in hex is `known`. */
const UNKNOWN = (known: string): string =>
  `case when encode(sha256(frame), 'hex') = ${known}::text then null else frame end`;

/** State that a transaction decides on: the end of the log, the last batch of each run, and the claims. */
const STATE = makeStatement(`
  select 'version' as part, null as name, max(version)::bigint as seq, null as run_id, null::bigint as run_seq,
    null::bytea as frame, null as owner, null::bigint as epoch, null::boolean as current from sallyport.version
  union all
  (select 'log', null, seq, run_id, run_seq, ${UNKNOWN('$5')}, null, null, null from sallyport.batch where log = $1
    order by seq desc limit 1)
  union all
  (select 'seen', null, seq, run_id, run_seq, ${UNKNOWN('$5')}, null, null, null from sallyport.batch where log = $1
    and seq < $4 order by seq desc limit 1)
  union all
  select 'run', each.name, seq, run_id, run_seq, ${UNKNOWN('each.known')}, null, null, null
    from unnest($2::text[], $6::text[]) as each (name, known), lateral (select seq, run_id, run_seq, frame
    from sallyport.batch where log = $1 and run_id = each.name order by run_seq desc limit 1) as last
  union all
  select 'claim', name, null, null, null, null, owner, epoch, ${IS_CURRENT} from sallyport.claim
    where log = $1 and name = any($3::text[])`);

/** State of the log at the beginning of a transaction, and with the batches that the transaction adds. */
interface GroupState {
  readonly runs: Map<string, BatchEnd>;
  readonly claims: ReadonlyMap<unknown, FoundClaim>;
  last: BatchEnd | undefined;
  readonly added: Batch[];
  readonly rows: EncodedRow[];
}

/** The append of a store: appends that wait at the same time share a transaction. */
export function makeAppend(
  connection: PgConnection,
  log: number,
  leases: PgLeases,
  witness: LogWitness,
): (append: Append, durability: Durability) => Promise<Answer> {
  const ends = new KnownEnds();
  const appendAll = async (items: readonly WaitingItem[]): Promise<void> => {
    const strict = items.some(({ item }) => item.durability === 'strict');
    const act = (query: Query) => appendGroup(query, items);
    try {
      const done = await connection.writeThenFlush(log, strict ? 'strict' : 'relaxed', act);
      if (done.ok && done.value.ok) {
        witness.see(done.value.value.end);
        ends.add(done.value.value.written);
      }
      for (const [nth, { result }] of items.entries()) result.resolve(answerOf(done, nth));
    } catch (error) {
      for (const { result } of items) result.reject(error);
    }
  };

  async function appendGroup(query: Query, items: readonly WaitingItem[]): Promise<Outcome<GroupAnswer>> {
    const state = await readState(query, items);
    if (!state.ok) return state;
    const answers: Answer[] = [];
    for (const { item } of items) answers.push(await place(query, state.value, item));
    const { added, rows, last } = state.value;
    const written = added.length > 0 ? await addBatches(query, log, added) : [];
    if (rows.length > 0) await writeEncoded(query, log, rows);
    return pass({ answers, end: last?.after.log ?? EMPTY_LOG, written });
  }

  async function readState(query: Query, items: readonly WaitingItem[]): Promise<Outcome<GroupState>> {
    const run_ids = [...new Set(items.map(({ item }) => item.append.run_id))];
    const names = [CONTENT, ...run_ids.map(claimOf)];
    const [seen, known] = [witness.seen?.size ?? 0, ends.hashesOf(run_ids)];
    const found = await query(STATE, log, run_ids, names, seen, ends.logHash, known);
    const of = (part: string) => found.filter((row) => row['part'] === part);
    if (Number(of('version')[0]?.['seq']) > connection.version) return refuse('store_newer', {});
    const [[last], [before]] = [of('log').map((row) => ends.logEnd(row)), of('seen').map((row) => ends.logEnd(row))];
    const checked = witness.check(last?.after.log ?? EMPTY_LOG, before?.after.log);
    if (!checked.ok) return checked;
    const runs = new Map(of('run').map((row) => [String(row['name']), ends.runEnd(row)]));
    const claims = new Map(of('claim').map((row) => [row['name'], claimIn(row)]));
    return pass({ runs, claims, last, added: [], rows: [] });
  }

  async function place(query: Query, state: GroupState, { append, rows }: WaitingAppend): Promise<Answer> {
    const { run_id, expected } = append;
    const fenced = leases.fenceRun(run_id, state.claims.get(claimOf(run_id)));
    if (!fenced.ok) return fenced;
    const batch = nextBatch(state.last?.after.log ?? EMPTY_LOG, rowOf(state, run_id), append);
    if (!batch.ok) {
      const inGroup = state.added.find((each) => isThere(each, append));
      const there = inGroup ?? (await readBatch(query, log, run_id, expected.records));
      return there !== undefined && isThere(there, append) ? pass(acknowledge(there)) : batch;
    }
    const content = rows.some(({ kind }) => kind !== 'kept') ? leases.fenceContent(state.claims.get(CONTENT)) : fenced;
    if (!content.ok) return content;
    state.last = batch.value;
    state.runs.set(run_id, batch.value);
    state.added.push(batch.value);
    state.rows.push(...rows);
    return pass(acknowledge(batch.value));
  }

  const queue = new BatchQueue<WaitingAppend, Answer>({ sizeOf: groupSize, work: appendAll });
  return async (append, durability) => {
    assertChained(append);
    // a value that cannot be stored throws here
    const rows = (append.tables ?? []).map(encodeWrite);
    return queue.add({ append, rows, durability });
  };
}

interface GroupAnswer {
  readonly answers: readonly Answer[];
  /** End of the log after the group. */
  readonly end: typeof EMPTY_LOG;
  readonly written: readonly EncodedBatch[];
}

function answerOf(done: Outcome<Outcome<GroupAnswer>>, nth: number): Answer {
  if (!done.ok) return done;
  return done.value.ok ? (done.value.value.answers[nth] as Answer) : done.value;
}

function rowOf({ runs }: GroupState, run_id: string): RunRow | undefined {
  return runs.get(run_id)?.after.run;
}

function groupSize(waiting: readonly WaitingItem[]): number {
  let bytes = 0;
  for (const [nth, { item }] of waiting.entries()) {
    bytes += bytesOf(item);
    if (nth === GROUP || (nth > 0 && bytes > GROUP_BYTES)) return nth;
  }
  return waiting.length;
}

function bytesOf({ append: { records, payloads }, rows }: WaitingAppend): number {
  const texts = records.reduce((sum, { text }) => sum + text.length, 0);
  const bytes = payloads.reduce((sum, payload) => sum + payload.bytes.length, 0);
  return rows.reduce((sum, { key, frame }) => sum + key.length + (frame?.length ?? 0), texts + bytes);
}
