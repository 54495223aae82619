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
  for (const record of records) {
    const step = stepOf(record);
    const last = groups.at(-1);
    if (last !== undefined && (last.step === step || isWithin(record, last.records))) last.records.push(record);
    else groups.push({ step, records: [record] });
  }
  return groups;
}

const RECORDS: OptionType = [
  'a list of records',
  (value) => Array.isArray(value) && value.every((each) => isObject(each) && isObject(each['body'])),
];

function isWithin({ kind }: LedgerRecord, before: readonly LedgerRecord[]): boolean {
  const isOpen = before.some((each) => each.kind === 'proposal') && before.every((each) => each.kind !== 'receipt');
  return (kind === 'state' || kind === 'revocation' || kind === 'rejection') && isOpen;
}

function stepOf(record: LedgerRecord): number | undefined {
  if (record.kind === 'receipt') return record.body.evidence.step;
  return 'step' in record.body ? record.body.step : undefined;
}
