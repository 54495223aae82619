import { type Outcome, pass, type Report } from '../../core/inner.ts';
import type { LogReport } from '../api.ts';
import type { Kernel } from '../kernel/api.ts';
import type { Auditor } from './auditor.ts';

/** The kernel says what its log is, the auditor what each run in it is. */
export async function auditLog(
  kernel: Pick<Kernel, 'fsck' | 'export'>,
  auditor: Pick<Auditor, 'verify'>,
  checkpoint: string | undefined,
  signal?: AbortSignal,
): Promise<Outcome<LogReport>> {
  const log = await kernel.fsck(checkpoint);
  if (!log.ok) return log;
  const { run_ids, ...whole } = log.value;
  const runs: { run_id: string; report: Report }[] = [];
  for (const run_id of run_ids) {
    signal?.throwIfAborted();
    const text = await kernel.export(run_id, true);
    if (!text.ok) return text;
    runs.push({ run_id, report: await auditor.verify(text.value) });
  }
  return pass({ ...whole, ok: whole.problems.length === 0 && runs.every(({ report }) => report.ok), runs });
}
