import type { Label, LedgerRecord } from '../../../core/index.ts';
import { run } from '../../texts/en/run.ts';

/** The caller of a session: a run whose program proposes, without a model and without a task. */
export interface SessionCaller {
  /** A stranger's text where the run is read from a file. */
  readonly label: string;
  /** Labels of the data that the caller had read before the session began. */
  readonly labels: readonly Label[];
  /** The run whose calls this one takes back. */
  readonly undoes?: string;
}

/** The caller of a session; undefined for a run with a model. */
export function callerOf([first]: readonly (LedgerRecord | undefined)[]): SessionCaller | undefined {
  if (first?.kind !== 'configuration' || first.body.caller !== true) return undefined;
  const { model: label, labels = [], undoes } = first.body;
  return { label, labels, ...(undoes && { undoes: undoes.run_id }) };
}

/** The name of a session in lists and headings. */
export function sessionName({ label, undoes }: SessionCaller): string {
  return undoes === undefined ? run().sessionOf(label) : run().undoOf(undoes.slice(0, 8));
}
