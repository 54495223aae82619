import { readFileSync } from 'node:fs';
import { hashBytes, sha256Hex } from '../../core/hash.ts';
import type { LedgerRecord } from '../../core/index.ts';
import { emptyFrontier, push, rootOf } from '../../core/ledger/tree.ts';
import { unwrap } from '../../core/sallyport-error.ts';
import { openRuntime } from '../../workers/node.ts';
import { logPages } from '../../workers/store/paging.ts';
import type { SharedStore } from '../../workers/store/shared-store.ts';
import type { Batch, LedgerStore } from '../../workers/store/store.ts';
import type { Acknowledged } from './acknowledged.ts';
import type { LoadFindings } from './counts.ts';

export const NO_FINDINGS: LoadFindings = {
  records: 0,
  runs: 0,
  interruptedSteps: 0,
  lost: 0,
  half: 0,
  twice: 0,
  unrecorded: 0,
  broken: 0,
  contradicted: 0,
};

/** Reads a log whole, compares it with the acknowledgements, and closes its store. */
export async function judgeLog(store: SharedStore, log: string, acknowledged: Acknowledged): Promise<LoadFindings> {
  const { hashes, steps, ...found } = await readLog(store, acknowledged.roots(log));
  const missing = acknowledged.hashes(log).filter((hash) => !hashes.has(hash));
  const runtime = await openRuntime({ store });
  const runs = await runtime.runs();
  const { ok, runs: reports, problems } = await runtime.ledger.fsck();
  await runtime.close();
  const unsealed = runs.filter(({ sealed }) => !sealed).length;
  const failing = reports.filter(({ report }) => !report.ok).length;
  const broken = unsealed + failing + (ok ? 0 : Math.max(1, problems.length));
  const twice = doubles(steps.intents) + doubles(steps.receipts);
  return { ...NO_FINDINGS, ...found, runs: runs.length, lost: missing.length, broken, twice };
}

/** Effects that happened twice, and effects whose step has no intent in any of the logs. */
export async function judgeEffects(
  stores: readonly LedgerStore[],
  path: string,
): Promise<Pick<LoadFindings, 'twice' | 'unrecorded'>> {
  const effects = readFileSync(path, 'utf8').trim().split('\n').filter(Boolean);
  const intents = new Set<string>();
  for (const store of stores) for (const step of (await readLog(store, new Map())).steps.intents) intents.add(step);
  return { twice: doubles(effects), unrecorded: effects.filter((step) => !intents.has(step)).length };
}

interface ReadLog extends Pick<LoadFindings, 'records' | 'half' | 'contradicted' | 'interruptedSteps'> {
  readonly hashes: ReadonlySet<string>;
  readonly steps: { readonly intents: readonly string[]; readonly receipts: readonly string[] };
}

/** Reads the batches of a log in order, and computes its root anew behind each of them. */
async function readLog(store: LedgerStore, told: ReadonlyMap<number, string>): Promise<ReadLog> {
  const hashes = new Set<string>();
  const steps = { intents: [] as string[], receipts: [] as string[] };
  let [frontier, half, contradicted, interruptedSteps] = [emptyFrontier(), 0, 0, 0];
  for await (const page of logPages(store)) {
    for (const batch of unwrap(page)) {
      if (batch.seq !== frontier.size || !isWhole(batch)) half++;
      for (const text of batch.records) {
        const record = JSON.parse(text) as LedgerRecord;
        frontier = push(frontier, hashBytes(record.hash));
        hashes.add(record.hash);
        interruptedSteps += count(record, steps);
      }
      const root = hexOf(rootOf(frontier));
      if (root !== hexOf(rootOf(batch.after.log))) contradicted++;
      if ((told.get(frontier.size) ?? root) !== root) contradicted++;
    }
  }
  const beyond = [...told.keys()].filter((size) => size > frontier.size).length;
  return { hashes, steps, half, contradicted: contradicted + beyond, interruptedSteps, records: hashes.size };
}

/** Notes the step of an intent or a receipt. 1 for a receipt of a step that a kill cut off. */
function count(record: LedgerRecord, steps: { readonly intents: string[]; readonly receipts: string[] }): number {
  if (record.kind === 'intent') steps.intents.push(record.body.step_id);
  if (record.kind !== 'receipt') return 0;
  steps.receipts.push(record.body.receipt.step_id);
  return record.body.evidence.reason?.code === 'interrupted' ? 1 : 0;
}

/** True for a batch that has as many records as its place says, and the bytes of its payloads. */
function isWhole({ records, run_seq, after, payloads }: Batch): boolean {
  const sound = payloads.every(({ sha256, bytes }) => sha256Hex(bytes) === sha256);
  return sound && run_seq + records.length === after.run.records;
}

function doubles(names: readonly string[]): number {
  return names.length - new Set(names).size;
}

function hexOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}
