import { expect } from 'vitest';
import { ENGINE } from '../../../core/capability/engine.ts';
import { refuse } from '../../../core/errors.ts';
import { hashBytes, hashText, sha256Hex } from '../../../core/hash.ts';
import { encodeText } from '../../../core/json/utf8.ts';
import { BEHAVIOUR } from '../../../core/ledger/behaviour.ts';
import { extend, headAfter, type Link, NO_RECORDS, type RunHead } from '../../../core/ledger/chain.ts';
import type { LogBody } from '../../../core/ledger/kinds/log.ts';
import type { PayloadRef } from '../../../core/ledger/payload-ref.ts';
import type { Draft } from '../../../core/ledger/record.ts';
import { merkleRoot } from '../../../core/ledger/tree.ts';
import type { Outcome } from '../../../core/outcome.ts';
import type { RunRow } from '../../api.ts';
import { makeRetention, type Retention } from '../../kernel/retention.ts';
import { readRecords } from '../../store/read-run.ts';
import type { Append, Batch, LedgerStore } from '../../store/store.ts';
import { type StorePlace, valueOf } from './store-place.ts';

interface SamplePayload {
  readonly sha256: string;
  readonly bytes: Uint8Array;
}

/** An append as a kernel makes it: links and the bytes that they name. */
export interface SampleBatch {
  readonly expected: RunHead;
  readonly records: readonly Link[];
  readonly payloads: readonly SamplePayload[];
}

export interface SampleRun {
  readonly run_id: string;
  readonly batches: readonly SampleBatch[];
}

const HASH = (name: string): string => sha256Hex(encodeText(name));

/** UUID v4 of the nth run of a test. */
export function runId(n: number): string {
  return `${n.toString(16).padStart(8, '0')}-0000-4000-8000-000000000000`;
}

function stepId(run: number, step: number): string {
  return `${run.toString(16).padStart(8, '0')}-0000-8000-8000-${step.toString(16).padStart(12, '0')}`;
}

/** A run in its real form: configuration and task, five records and their payloads for each step, a seal. */
export function sampleRun(run: number, steps: number, sealed = true): SampleRun {
  const batches: SampleBatch[] = [];
  const made = sampleBatches(run);
  for (let nth = 0; nth <= steps; nth++) batches.push(made.next().value);
  const last = batches.at(-1)?.records.at(-1);
  if (sealed && last !== undefined) batches.push(sealOf(last, steps));
  return { run_id: runId(run), batches };
}

/** The batches of a run without an end: configuration and task, then each step. */
export function* sampleBatches(run: number): Generator<SampleBatch, never> {
  const run_id = runId(run);
  let head = NO_RECORDS;
  let at = BEGUN;
  const batchOf = ([payloads, drafts]: Drafted): SampleBatch => {
    const expected = head;
    const records = drafts.map((draft) => {
      const link = extend(head, draft, { run_id, epoch: 0, at: at++ });
      head = headAfter(link.record);
      return link;
    });
    return { expected, records, payloads };
  };
  yield batchOf(opening(run));
  for (let step = 1; ; step++) yield batchOf(stepOf(run, run_id, step));
}

/** Time of the first record of each run, in ms. */
const BEGUN = 1_700_000_000_000;

function sealOf({ record }: Link, steps: number): SampleBatch {
  const expected = headAfter(record);
  const draft: Draft = { kind: 'seal', body: { state: 'completed', steps } };
  const link = extend(expected, draft, { run_id: record.run_id, epoch: 0, at: record.at + 1 });
  return { expected, records: [link], payloads: [] };
}

type Drafted = readonly [readonly SamplePayload[], readonly Draft[]];

function opening(run: number): Drafted {
  const [registry, policy, text] = [payload('{"capabilities":[]}'), payload('{"rules":[]}'), payload(`Task ${run}`)];
  const configuration: Draft = {
    kind: 'configuration',
    body: {
      format: 'sallyport/1',
      dialect: 'femtoclaw/1.0.0',
      behaviour: BEHAVIOUR,
      registry: ref(registry),
      registry_hash: HASH('registry'),
      policy: ref(policy),
      policy_hash: HASH('policy'),
      limits: {
        steps: 100,
        refusalsInRow: 10,
        wallMs: 3_600_000,
        proposalBytes: 1_048_576,
        expandedBytes: 1_048_576,
        answerTokens: 1,
        contextBytes: 1,
      },
      limits_hash: HASH('limits'),
      budgets: { max_symbols: 10, max_sections: 5, max_bytes_expanded: 10_000, max_expands_per_step: 3 },
      model: 'script',
      isolation: 'node',
      engine: ENGINE,
    },
  };
  return [
    [registry, policy, text],
    [configuration, { kind: 'task', body: { text: ref(text) } }],
  ];
}

function stepOf(run: number, run_id: string, step: number): Drafted {
  const step_id = stepId(run, step);
  const at = { step, step_id };
  const capability = { capability: 'math.add', capability_hash: HASH('math.add') };
  const proposal = payload(`{"tool_call":{"tool":"math.add","args":{"a":${run},"b":${step}}}}`);
  const args = payload(`{"a":${run},"b":${step}}`);
  const result = payload(`${run + step}`);
  const reply = payload(`{"status":"success","result":${run + step}}`);
  const rules = { registry_hash: HASH('registry'), behaviour: BEHAVIOUR };
  const drafts: Draft[] = [
    { kind: 'proposal', body: { ...at, payload: ref(proposal) } },
    {
      kind: 'verdict',
      body: {
        ...at,
        accepted: true,
        kind: 'call',
        ...capability,
        args: ref(args),
        ...rules,
        limits_hash: HASH('limits'),
        dialect: 'femtoclaw/1.0.0',
      },
    },
    {
      kind: 'decision',
      body: {
        ...at,
        decision: 'AUTHORIZED',
        ...capability,
        args_hash: args.sha256,
        policy_hash: HASH('policy'),
        grant: HASH('grant'),
        labels: [],
        now: BEGUN + step,
      },
    },
    { kind: 'observation', body: { ...at, status: 'success', payload: ref(reply) } },
    {
      kind: 'receipt',
      body: {
        receipt: {
          run_id,
          step_id,
          expanded: [],
          actions: [{ type: 'EXECUTE', target: '@TOOLS/math.add', status: 'SUCCESS', result: ref(result) }],
          outputs: {},
          status: 'SUCCESS',
        },
        evidence: {
          step,
          proposal: ref(proposal),
          args_hash: args.sha256,
          capability_hash: capability.capability_hash,
          image_hash: HASH('image'),
          policy_hash: HASH('policy'),
          fuel: 1_000 + step,
          result_hash: result.sha256,
          labels: [],
          ...rules,
        },
      },
    },
  ];
  return [[proposal, args, result, reply], drafts];
}

export function payload(text: string): SamplePayload {
  const bytes = encodeText(text);
  return { sha256: sha256Hex(bytes), bytes };
}

function ref({ sha256, bytes }: SamplePayload): PayloadRef {
  return { sha256, bytes: bytes.length };
}

let forks = 0;

/** Append that continues a run with records that occur in no other append. */
export function forked(run_id: string, expected: RunHead, records = 1, seal = false): Append {
  const links: Link[] = [];
  let head = expected;
  for (let n = 0; n < records; n++) {
    const text = { sha256: payload(`fork ${forks++}`).sha256, bytes: 1 };
    const draft: Draft =
      seal && n === records - 1
        ? { kind: 'seal', body: { state: 'failed', steps: forks } }
        : { kind: 'state', body: { event: 'resumed', reason: text } };
    const link = extend(head, draft, { run_id, epoch: 0, at: 1 });
    links.push(link);
    head = headAfter(link.record);
  }
  return { run_id, expected, records: links, payloads: [] };
}

/** Appends the first batches of a run, one after another. */
export async function appendAll(store: LedgerStore, run: SampleRun, most: number = run.batches.length): Promise<void> {
  for (const { expected, records, payloads } of run.batches.slice(0, most)) {
    valueOf(await store.append({ run_id: run.run_id, expected, records, payloads }, 'relaxed'));
  }
}

/** Expects the batches of all runs to fill the log without a gap, and its root to cover exactly their records. */
export async function expectOneLog(store: LedgerStore, run_ids: readonly string[]): Promise<void> {
  const batches: Batch[] = [];
  for (const run_id of run_ids) batches.push(...valueOf(await store.read(run_id)));
  batches.sort((one, other) => one.seq - other.seq);
  const leaves: Uint8Array[] = [];
  for (const batch of batches) {
    expect(batch.seq).toBe(leaves.length);
    leaves.push(...batch.records.map((text) => hashBytes((JSON.parse(text) as { hash: string }).hash)));
    expect(batch.after.log.size).toBe(leaves.length);
  }
  const head = valueOf(await store.head());
  expect([head.size, hashText(head.root)]).toEqual([leaves.length, hashText(merkleRoot(leaves))]);
}

/** The row that `runs` gives for a run. */
export function rowOf(run: SampleRun, sealed: boolean): RunRow {
  const last = run.batches.at(-1)?.records.at(-1)?.record;
  return {
    run_id: run.run_id,
    records: (last?.run_seq ?? 0) + 1,
    head: last?.hash ?? '',
    at: 1_700_000_000_000,
    dialect: 'femtoclaw/1.0.0',
    sealed,
    ...(sealed && { ended: 'completed' }),
  };
}

/** The texts of all records of a run. */
export function textsOf(run: SampleRun): string[] {
  return run.batches.flatMap((batch) => batch.records.map((link) => link.text));
}

/** The two runs of a filled store. */
export const kept: SampleRun = sampleRun(1, 2);
export const other: SampleRun = sampleRun(2, 2);

/** Key of a kept value. The value has both labels, because a restored value always has both. */
export const KEY = 'own/notes/k';
export function noted(text: string): { text: string; labels: string[] } {
  return { text: JSON.stringify(text), labels: ['private', 'untrusted'] };
}

/** A store with both runs and a kept value. */
export async function filled(place: StorePlace): Promise<LedgerStore> {
  const store = await place.open();
  for (const { run_id, batches } of [kept, other]) {
    for (const batch of batches) valueOf(await store.append({ run_id, ...batch }, 'relaxed'));
  }
  valueOf(await store.put([{ table: 'kept', key: KEY, value: noted('k') }], 'relaxed'));
  return store;
}

/** The retention of a store in which each run is free, or is being written. */
export function over(store: LedgerStore, free = true): Retention {
  return makeRetention({ store }, async (run_id, act) => (free ? act() : refuse('run_open', { run_id })));
}

/** Bodies of the system log. */
export async function events(store: LedgerStore): Promise<LogBody[]> {
  const texts = valueOf(await readRecords(store, 'system'));
  return texts.map((text) => (JSON.parse(text) as { body: LogBody }).body);
}

/** Number of payloads that the store has of a run. */
export async function payloadsOf(store: LedgerStore, run: SampleRun): Promise<number> {
  return valueOf(await store.read(run.run_id)).reduce((sum, { payloads }) => sum + payloads.length, 0);
}

/** Size and root of the log. */
export async function sizeAndRoot(store: LedgerStore): Promise<readonly [number, string]> {
  const { size, root } = valueOf(await store.head());
  return [size, hashText(root)];
}

/** The store, which refuses the write after so many writes: all that a crash leaves behind is what it has written. */
export function stopping(store: LedgerStore, after: number): LedgerStore {
  let left = after;
  const stop = <A extends unknown[], T>(write: (...given: A) => Promise<Outcome<T>>) => {
    const stopped = refuse('store_lost', { reason: 'the power went' });
    return async (...given: A): Promise<Outcome<T>> => (left-- > 0 ? write(...given) : stopped);
  };
  // a store in another realm has no functions that can be taken from it
  const append = stop((...given: Parameters<LedgerStore['append']>) => store.append(...given));
  const replace = stop((batches: readonly Batch[]) => store.replace(batches));
  const put = stop((...given: Parameters<LedgerStore['put']>) => store.put(...given));
  const tidy = stop((run_id?: string) => store.tidy(run_id));
  return { ...store, append, replace, put, tidy };
}
