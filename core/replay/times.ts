import { refuse } from '../errors.ts';
import { type Finding, found } from '../ledger/export.ts';
import type { LedgerRecord } from '../ledger/record.ts';
import type { Tape } from './tape.ts';

/**
 * The first clock value of a decision that the times of the records exclude. A decision comes after the records before
 * its step, and after its question; a record is written after each decision that it tells. The clock of a run never goes
 * back.
 */
export function timeFault({ records }: Tape): Finding | undefined {
  let since = 0;
  let decided = 0;
  for (const [at, record] of records.entries()) {
    if (record.kind === 'proposal') since = startOf(records, at);
    if (isQuestion(record)) decided = Math.max(decided, record.at);
    for (const now of clockValues(record)) {
      const least = record.kind === 'decision' ? Math.max(since, decided) : since;
      if (now < least) return wrong(record, `${least - now} ms before what it follows`);
      if (now > record.at) return wrong(record, `${now - record.at} ms after the record that tells it`);
      if (record.kind === 'decision') decided = now;
    }
  }
  return undefined;
}

/** Time of the last record of the run itself before this step; its call may have begun a moment later. */
function startOf(records: readonly LedgerRecord[], at: number): number {
  for (let before = at - 1; before >= 0; before--) {
    const record = records[before];
    // a person may revoke at any moment: the record is written where the step allows it
    if (record !== undefined && record.kind !== 'revocation') return record.at;
  }
  return 0;
}

/** A question about the call itself: its answer is decided later. */
function isQuestion({ kind, body }: LedgerRecord): boolean {
  return kind === 'approval' && body.event === 'asked' && body.ticket === undefined;
}

/** The clock values that a record holds, of its decision or of decisions about powers. */
function clockValues({ kind, body }: LedgerRecord): readonly number[] {
  switch (kind) {
    case 'decision':
      return [body.now];
    case 'power':
      return body.event === 'issued' ? [body.now] : [];
    case 'parked':
      return timesOf(body.powers);
    case 'progress':
      return timesOf(body.event === 'reads' ? body.powers : body.evidence.powers);
    case 'receipt':
      return [
        ...timesOf(body.evidence.powers),
        ...(body.evidence.operations ?? []).flatMap((each) => timesOf(each.powers)),
      ];
    default:
      return [];
  }
}

function timesOf(powers: readonly { readonly now: number }[] = []): readonly number[] {
  return powers.map(({ now }) => now);
}

function wrong({ run_seq }: LedgerRecord, what: string): Finding {
  return found(run_seq, refuse('decision_differs', { what: `the time of a decision, ${what}` }));
}
