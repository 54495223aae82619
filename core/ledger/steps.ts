import { isObject } from '../json/value.ts';
import { demand, type OptionType } from '../option.ts';
import type { LedgerRecord } from './record.ts';

/** Records of a proposal, or a single record of the run itself. */
export interface StepRecords {
  /** The proposal, counted from 1; undefined for records of the run itself. */
  readonly step: number | undefined;
  readonly records: readonly LedgerRecord[];
}

/**
 * The records of a run in groups, in order. A state, a revocation or a rejection in the middle of a step belongs to that
 * step, which goes on to its own receipt.
 */
export function groupBySteps(records: readonly LedgerRecord[]): readonly StepRecords[] {
  demand('records', records, RECORDS);
  const groups: { step: number | undefined; records: LedgerRecord[] }[] = [];
  // of the last group: what its records say, because looking through them for each record takes quadratic work
  let [isProposed, isReceived] = [false, false];
  for (const record of records) {
    const step = stepOf(record);
    const last = groups.at(-1);
    const isOpen = isProposed && !isReceived;
    if (last !== undefined && (last.step === step || (isOpen && WITHIN.has(record.kind)))) last.records.push(record);
    else {
      groups.push({ step, records: [record] });
      [isProposed, isReceived] = [false, false];
    }
    isProposed ||= record.kind === 'proposal';
    isReceived ||= record.kind === 'receipt';
  }
  return groups;
}

/** Kinds without a step of their own that stand in the middle of a step. */
const WITHIN: ReadonlySet<string> = new Set(['state', 'revocation', 'rejection']);

const RECORDS: OptionType = [
  'a list of records',
  (value) => Array.isArray(value) && value.every((each) => isObject(each) && isObject(each['body'])),
];

function stepOf(record: LedgerRecord): number | undefined {
  if (record.kind === 'receipt') return record.body.evidence.step;
  return 'step' in record.body ? record.body.step : undefined;
}
