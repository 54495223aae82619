import { parseExport } from '../../../../core/index.ts';
import { stepId } from '../../../../core/run/new-step.ts';
import { rewrite } from '../../../core/replay/rewrite.ts';

/**
 * The run as another pupil could have made it: under another id, with the ids of its steps, which follow from it, and with every hash
 * right. A run with an approval does not follow from another id: its question is hashed with it.
 */
export function withRunId(text: string, pupil: number, at: number): string {
  const { run_id = '', records } = parseExport(text);
  const other = `${String(pupil).padStart(8, '0')}${run_id.slice(8, -2)}${String(at).padStart(2, '0')}`;
  let renamed = text.replaceAll(run_id, other);
  for (const line of records) {
    if (line?.record.kind !== 'proposal') continue;
    const { step, step_id, payload } = line.record.body;
    renamed = renamed.replaceAll(step_id, stepId(other, step, payload.sha256));
  }
  return rewrite(renamed, ({ body }) => body);
}
