import type { LedgerRecord } from '../../core/index.ts';
import type { CapabilityDefinition, ModelPort, Report, Run, Runtime } from '../../workers/api.ts';

/** A call with an effect: its intent is on the disk before it starts. */
export const NOTE: CapabilityDefinition = {
  name: 'note.put',
  version: '1.0.0',
  description: 'Puts a note away.',
  args: {
    type: 'object',
    required: ['text'],
    additionalProperties: false,
    properties: { text: { type: 'string' } },
  },
  effect: 'write',
  source: 'export default ({ text }) => ({ length: text.length });',
};

/** The same where two persons have to sign. */
export const SIGNED_NOTE: CapabilityDefinition = { ...NOTE, name: 'note.sign' };

/** Proposals of notes, with the end of a run every twenty proposals. Each third note is signed, if there are signers. */
function proposals(isSigned: boolean): ModelPort['propose'] {
  let made = 0;
  return async () => {
    made += 1;
    const { name } = isSigned && made % 3 === 0 ? SIGNED_NOTE : NOTE;
    const next_step = { tool: name, arguments: { text: `note ${made}` }, goal: 'note' };
    return { text: JSON.stringify(made % 20 === 0 ? { done: true, message: 'noted' } : { next_step }) };
  };
}

/** Resumes the run that was left open, or begins a run. */
export async function goOn(runtime: Runtime, { isSigned = false } = {}): Promise<Run> {
  const model: ModelPort = { id: 'kills', locality: { kind: 'local' }, propose: proposals(isSigned) };
  for (const { run_id, sealed } of await runtime.runs()) {
    // Undefined where another kernel holds the run.
    const run = sealed ? undefined : await runtime.resume(run_id, model).catch(() => undefined);
    if (run === undefined) continue;
    await run.run();
    return run;
  }
  return runtime.start({ dialect: 'xct', task: 'Note.', model });
}

/** The state of a ledger, which is compared with the acknowledgements. */
export interface Found {
  readonly hashes: readonly string[];
  /** Runs that do not verify, each with its failing checks; an honest ledger has an empty list. */
  readonly broken: readonly string[];
  /** Steps with more than one intent or more than one receipt; an honest ledger has an empty list. */
  readonly twice: readonly string[];
  /** Steps that a kill cut off and that were closed. */
  readonly interrupted: number;
  /** Intents without a receipt: at most one in each run that is still open; a run with more counts as broken. */
  readonly open: number;
}

export async function stateOf(runtime: Runtime): Promise<Found> {
  const runs = await runtime.runs();
  const all = await Promise.all(runs.map(({ run_id }) => runtime.ledger.records(run_id)));
  const checked: (readonly [run_id: string, report: Report])[] = [];
  // One run after the other: side by side they would share the time that each may take.
  for (const { run_id } of runs) checked.push([run_id, await runtime.ledger.verify(run_id)]);
  const records = all.flat();
  const intents = stepsOf(records, 'intent');
  const receipts = stepsOf(records, 'receipt');
  const isOpen = (step: string): boolean => !receipts.includes(step);
  const open = all.map((each) => stepsOf(each, 'intent').filter(isOpen));
  return {
    hashes: records.map(({ hash }) => hash),
    broken: checked.flatMap(([run_id, report], at) => {
      const faults = faultsOf(report, open[at] ?? []);
      return faults.length === 0 ? [] : [`${run_id}: ${faults.join(', ')}`];
    }),
    twice: [...doubles(intents), ...doubles(receipts)],
    interrupted: records.filter((record) => record.kind === 'receipt' && codeOf(record) === 'interrupted').length,
    open: open.flat().length,
  };
}

function faultsOf({ ok, checks }: Report, open: readonly string[]): string[] {
  const failing = ok ? [] : checks.filter(({ status }) => status !== 'pass').map(({ id, status }) => `${id} ${status}`);
  return open.length <= 1 ? failing : [...failing, `${open.length} open steps`];
}

function codeOf(record: LedgerRecord): string | undefined {
  return record.kind === 'receipt' ? record.body.evidence.reason?.code : undefined;
}

function stepsOf(records: readonly LedgerRecord[], kind: 'intent' | 'receipt'): string[] {
  return records.flatMap((record) => {
    if (record.kind !== kind) return [];
    return [record.kind === 'receipt' ? record.body.receipt.step_id : record.body.step_id];
  });
}

function doubles(names: readonly string[]): string[] {
  return names.filter((name, at) => names.indexOf(name) !== at);
}
