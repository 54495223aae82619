import { type ExportFile, type LedgerRecord, payloadRefs, type ReceiptTally, tallyOf } from '../../../core/index.ts';
import { isProblem } from '../../records/describe.ts';
import { recordedTimes, type TimeSpans } from '../../records/durations.ts';
import { groupSteps, recordsIn, type StepGroup } from '../../records/steps.ts';

/** Steps of a report: those with a problem, or a range; without `to`, up to the last. */
export type ReportedSteps = 'problems' | { readonly from: number; readonly to?: number };

/** Steps that the report shows; the export has all of them. */
export const STEPS_MAX = 500;

/** A step of a report, with the record before it. */
export interface ReportedStep {
  readonly step: number;
  readonly before: LedgerRecord | undefined;
  readonly records: readonly LedgerRecord[];
  readonly spans: TimeSpans;
}

/** The parts of a run that its report shows: of a long run they are a small part of the file. */
export interface ReportedRun {
  readonly run_id: string | undefined;
  readonly first: LedgerRecord | undefined;
  readonly last: LedgerRecord | undefined;
  readonly tasks: readonly LedgerRecord[];
  /** Questions to a person, and their answers. */
  readonly questions: readonly LedgerRecord[];
  readonly tally: ReceiptTally;
  /** Number of all steps, and of those that are wanted. */
  readonly steps: number;
  readonly chosen: number;
  /** At most `STEPS_MAX`. */
  readonly listed: readonly ReportedStep[];
  /** The texts that these records name. */
  readonly payloads: ReadonlyMap<string, Uint8Array>;
}

export function reportedRun(file: ExportFile, wanted: ReportedSteps = { from: 1 }): ReportedRun {
  const records = recordsIn(file);
  const groups = groupSteps(records);
  const times = recordedTimes(groups);
  const steps = groups.filter(({ step }) => step !== undefined);
  const chosen = steps.filter((group) => isWanted(group, wanted));
  const listed = chosen.slice(0, STEPS_MAX).map(({ step = 0, key, records: own }): ReportedStep => {
    const at = records[key] === own[0] ? key : records.indexOf(own[0] as LedgerRecord);
    return { step, before: records[at - 1], records: own, spans: times.get(step) ?? [] };
  });
  const [first, last] = [records[0], records.at(-1)];
  const tasks = records.filter(({ kind }) => kind === 'task');
  const questions = records.filter(({ kind }) => kind === 'approval' || kind === 'consent');
  const told = [
    ...tasks,
    ...questions,
    ...listed.flatMap((each) => each.records),
    ...(last === undefined ? [] : [last]),
  ];
  const named = new Set(told.flatMap(payloadRefs).map(({ sha256 }) => sha256));
  return {
    run_id: file.run_id,
    first,
    last,
    tasks,
    questions,
    tally: tallyOf(records),
    steps: steps.length,
    chosen: chosen.length,
    listed,
    payloads: new Map([...file.payloads].filter(([sha256]) => named.has(sha256))),
  };
}

function isWanted({ step = 0, stopped, records }: StepGroup, wanted: ReportedSteps): boolean {
  if (wanted === 'problems') return stopped !== undefined || records.some(isProblem);
  return step >= wanted.from && step <= (wanted.to ?? Infinity);
}
