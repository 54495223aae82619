import type { PowerBody, PowerDecision } from '../../ledger/kinds/power.ts';
import type { Bodies } from '../../ledger/record.ts';
import {
  counted,
  type DecidedUse,
  NO_POWERS,
  type PowerLedger,
  withDecision,
  withPower,
} from '../powers/power-ledger.ts';
import { moreOf, type RestoredRun } from './restored-run.ts';

/** The accounts of the unfinished step's powers. */
export function ledgerOf({ unfinished }: RestoredRun): PowerLedger {
  return unfinished?.powers ?? NO_POWERS;
}

/** Adds the record of a power, and counts the use of a power that was issued. */
export function recordPower(run: RestoredRun, body: PowerBody): RestoredRun {
  const next = { ...run, ...moreOf(run.unfinished, { powers: withPower(ledgerOf(run), body) }) };
  if (body.event === 'answered') return next;
  const { ticket, grant, now } = body;
  return countUse(next, { ticket, decision: 'AUTHORIZED', grant, now });
}

/** Adds the record of a parked call, and counts the uses that it names. */
export function recordParked(run: RestoredRun, body: Bodies['parked']): RestoredRun {
  const next = countUses(run, body.powers);
  return { ...next, ...moreOf(next.unfinished, { parked: body }) };
}

/**
 * Adds the record of a settled operation, or of reads, and counts the uses that it names. Each operation numbers the
 * tickets of its powers anew.
 */
export function recordProgress(run: RestoredRun, body: Bodies['progress']): RestoredRun {
  const decisions = body.event === 'reads' ? body.powers : (body.evidence.powers ?? []);
  const next = countUses(run, decisions);
  if (next.unfinished === undefined) return next;
  const progress = [...(next.unfinished.progress ?? []), body];
  if (body.event === 'reads') return { ...next, unfinished: { ...next.unfinished, progress } };
  const { intent: _, parked: __, ...rest } = next.unfinished;
  const powers = { ...NO_POWERS, used: ledgerOf(next).used };
  return { ...next, unfinished: { ...rest, progress, powers } };
}

/** Counts the uses that no record has named before the receipt: of its call, or of the operations of its message. */
export function countReceipt(
  run: RestoredRun,
  { powers = [], operations = [] }: Bodies['receipt']['evidence'],
): RestoredRun {
  const next = countUses(run, powers);
  const known = new Map([...ledgerOf(next).used].map(([grant, { count }]) => [grant, count]));
  const uses = operations.flatMap((operation) => operation.powers ?? []);
  const used = uses.reduce((before, use) => {
    const left = known.get(use.grant ?? '') ?? 0;
    if (left === 0) return counted(before, use, next.state.parents);
    known.set(use.grant ?? '', left - 1);
    return before;
  }, next.state.used);
  return { ...next, state: { ...next.state, used } };
}

/** Counts uses that have no record of their own. */
export function countUses(run: RestoredRun, decisions: readonly PowerDecision[]): RestoredRun {
  return decisions.reduce(countUse, run);
}

/** Counts a use once, even if several records name it. */
function countUse(run: RestoredRun, decided: DecidedUse): RestoredRun {
  const before = ledgerOf(run);
  const powers = withDecision(before, decided);
  if (powers === before) return run;
  const state = { ...run.state, used: counted(run.state.used, decided, run.state.parents) };
  return { ...run, state, ...moreOf(run.unfinished, { powers }) };
}
