import { ENGINE } from '../../../core/capability/engine.ts';
import { sha256Hex } from '../../../core/hash.ts';
import { encodeText } from '../../../core/json/utf8.ts';
import { BEHAVIOUR } from '../../../core/ledger/behaviour.ts';
import { extend, headAfter, type Link, NO_RECORDS, type RunHead } from '../../../core/ledger/chain.ts';
import type { PayloadRef } from '../../../core/ledger/payload-ref.ts';
import type { Draft } from '../../../core/ledger/record.ts';

export interface SamplePayload {
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
