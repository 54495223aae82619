import {
  type Checked,
  checkHere,
  type FindPayload,
  headAfter,
  type LedgerRecord,
  type Outcome,
  pass,
  type RunHead,
  recheck,
  refuse,
  restore,
  resume,
  type Transition,
  VALIDATORS,
} from '../core/index.ts';
import type { Ports } from './ports.ts';
import { prepareFacts } from './prepare.ts';
import { PAGE } from './store.ts';

export interface Reopened {
  readonly head: RunHead;
  readonly transition: Transition;
}

/** Reads a run's records and says how it goes on: what it was decided by, and the one step that may be open. */
export async function reopen(ports: Ports, run_id: string): Promise<Outcome<Reopened>> {
  const stored = await readRun(ports, run_id);
  if (!stored.ok) return stored;
  const { records, find } = stored.value;
  const last = records.at(-1);
  if (last === undefined || last.kind === 'seal') return refuse('run_sealed', {});
  const restored = restore(records, find, VALIDATORS);
  if (!restored.ok) return restored;
  const prepared = await prepareFacts(ports.schemas, restored.value.state.facts);
  if (!prepared.ok) return prepared;
  const again = recheck(restored.value, find);
  if (!again.ok) return again;
  const results = new Map<string, Checked>();
  if (again.value !== undefined) {
    const { schemas, argsText, bound } = again.value;
    for (const [hash, result] of checkHere(restored.value.state.facts, schemas, bound.call.args))
      results.set(hash, result);
    for (const hash of schemas) if (!results.has(hash)) results.set(hash, await ports.schemas.check(hash, argsText));
  }
  return pass({ head: headAfter(last), transition: resume(restored.value, again.value, results, find) });
}

async function readRun(
  { store }: Ports,
  run_id: string,
): Promise<Outcome<{ records: readonly LedgerRecord[]; find: FindPayload }>> {
  const records: LedgerRecord[] = [];
  const payloads = new Map<string, Uint8Array>();
  for (;;) {
    const page = await store.read(run_id, records.length, PAGE);
    if (!page.ok) return page;
    for (const batch of page.value) {
      for (const text of batch.records) records.push(JSON.parse(text) as LedgerRecord);
      for (const { sha256, bytes } of batch.payloads) payloads.set(sha256, bytes);
    }
    if (page.value.length < PAGE) return pass({ records, find: ({ sha256 }) => payloads.get(sha256) });
  }
}
