import { isObject } from '../json/value.ts';
import { COUNT, demand, type OptionType } from '../option.ts';
import type { LedgerRecord } from './record.ts';

/**
 * What the receipts of a turn say, in numbers of steps. `done`: calls that were carried out. `denied`: by a grant, a
 * person or an authorizer. `refused`: at a gate before that. `failed`: while they ran, or at their result.
 */
export interface ReceiptTally {
  readonly done: number;
  readonly denied: number;
  readonly refused: number;
  readonly failed: number;
}

const RECORDS: OptionType = ['a list of records', (value) => Array.isArray(value) && value.every(isObject)];

/** Counts the receipts of the turn that ends with the last record before `until`; a later turn begins behind a seal. */
export function tallyOf(records: readonly LedgerRecord[], until?: number): ReceiptTally {
  demand('records', records, RECORDS);
  const end = until ?? records.length;
  demand('until', end, COUNT);
  const tally = { done: 0, denied: 0, refused: 0, failed: 0 };
  const begin = records.findLastIndex(({ kind }, place) => kind === 'seal' && place < end - 1);
  for (const record of records.slice(begin + 1, end)) {
    if (record.kind !== 'receipt') continue;
    const { reason, capability_hash, operations } = record.body.evidence;
    if (reason !== undefined) tally[OF_CLASS.get(reason.class) ?? 'refused'] += 1;
    else if (capability_hash !== undefined || operations !== undefined) tally.done += 1;
  }
  return tally;
}

/** A map, because the class in a stranger's record may be any word, `constructor` too. */
const OF_CLASS: ReadonlyMap<string, keyof ReceiptTally> = new Map([
  ['authorization', 'denied'],
  ['execution', 'failed'],
  ['output', 'failed'],
  ['storage', 'failed'],
  ['run', 'failed'],
]);

/** Words of a tally in a language, as texts with `{n}`. */
export interface TallyWords extends Readonly<Record<keyof ReceiptTally, string>> {
  readonly title: string;
  readonly none: string;
}

export const TALLY_WORDS: TallyWords = {
  title: 'The receipts say',
  done: '{n} carried out',
  denied: '{n} denied',
  refused: '{n} refused',
  failed: '{n} failed',
  none: 'no call',
};

const PARTS = ['done', 'denied', 'refused', 'failed'] as const;
const NUMBERS: OptionType = [
  'four numbers',
  (value) => isObject(value) && PARTS.every((part) => COUNT[1](value[part])),
];
const TEXTS: OptionType = [
  'four texts',
  (value) => isObject(value) && PARTS.every((part) => typeof value[part] === 'string'),
];

/** A tally in a line: `15 carried out, 1 denied, 5 refused`. */
export function tallyText(tally: ReceiptTally, words: TallyWords): string {
  demand('tally', tally, NUMBERS);
  demand('words', words, TEXTS);
  const told = PARTS.flatMap((part) => (tally[part] === 0 ? [] : [words[part].replace('{n}', String(tally[part]))]));
  return told.length === 0 ? words.none : told.join(', ');
}
