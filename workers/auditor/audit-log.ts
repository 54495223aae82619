import { type Report, STORED } from '../../core/ledger/checks.ts';
import { finding } from '../../core/ledger/export.ts';
import { type Outcome, pass } from '../../core/outcome.ts';
import type { LogReport } from '../api.ts';
import type { Auditor } from './auditor.ts';
import type { LogCheck } from './verify-log.ts';

/** The checkpoint to compare a log with, and the key that must have signed it. */
export interface LogAnchor {
  readonly checkpoint?: string;
  readonly key?: string;
}

/** The kernel's part: the check of its log against a checkpoint, and the text of a run, with its secrets where asked. */
interface LogSource {
  fsck(checkpoint: string | undefined): Promise<Outcome<LogCheck>>;
  export(run_id: string, secrets: boolean): Promise<Outcome<string>>;
}

const [, isHead] = STORED;

/** Audits a log: the kernel reports its log, the auditor checks each run and the signature of the checkpoint. */
export async function auditLog(
  kernel: LogSource,
  auditor: Pick<Auditor, 'verify' | 'unsigned'>,
  { checkpoint, key }: LogAnchor,
  signal?: AbortSignal,
): Promise<Outcome<LogReport>> {
  const log = await kernel.fsck(checkpoint);
  if (!log.ok) return log;
  const { rows, ...found } = log.value;
  const what = key === undefined ? undefined : await auditor.unsigned(checkpoint, key);
  const unsigned = what === undefined ? [] : [finding(found.size, 'anchor_disagrees', { what })];
  const whole = { ...found, problems: [...unsigned, ...found.problems] };
  const runs: { run_id: string; report: Report }[] = [];
  for (const { run_id, records, head } of rows) {
    signal?.throwIfAborted();
    const text = await kernel.export(run_id, true);
    // the run was deleted meanwhile: the log records it, and has its hashes
    if (!text.ok && text.refusal.code === 'run_absent') continue;
    if (!text.ok) return text;
    // A damaged index may name no head: then the run is held against itself alone.
    const stored = isHead({ records, head }) ? { records, head } : undefined;
    runs.push({ run_id, report: await auditor.verify(text.value, stored) });
  }
  return pass({ ...whole, ok: whole.problems.length === 0 && runs.every(({ report }) => report.ok), runs });
}
