import { isObject } from '../json/value.ts';
import { demand, LIST, type OptionType } from '../option.ts';
import { type Anchor, anchorFault, readAnchor } from './anchor.ts';
import type { CheckId, CheckPartId } from './checks.ts';
import type { Finding } from './export.ts';
import type { ReportVerdict, VerdictSentence, VerdictState } from './verdict.ts';

/** Name and claim of each check: the same words in the page, the terminal and the HTML export. */
export const CHECK_NAMES: { readonly [C in CheckId]: string } = {
  form: 'Form: the file is well-formed',
  hashes: 'Hashes: no record was altered',
  links: 'Links: none is missing or moved',
  anchor: 'Anchor: it has the head that was given',
  decisions: 'Decisions: made again, they come out the same',
  replay: 'Replay: run again, it does the same',
};

/** Names of the parts of a check that can stay out on their own. */
export const PART_NAMES: { readonly [P in CheckPartId]: string } = {
  fuel: 'Fuel of each call',
  heap: 'Heap of each call',
};

/** Words of a verdict in a language, as texts with `{values}`: a saved page has them in it as data. */
export interface VerdictWords {
  readonly consistent: string;
  readonly consistentOne: string;
  /** Follow `consistent`. */
  readonly origins: { readonly [S in Exclude<VerdictState, 'altered'>]: string };
  readonly undecided: string;
  /** What no check can prove, where no check failed. */
  readonly unproven: { readonly [S in Exclude<VerdictState, 'altered'>]: string };
  readonly cut: string;
  readonly cutAll: string;
  readonly faults: { readonly [K in Exclude<VerdictSentence['kind'], 'consistent' | 'cut'>]: string };
  /** Where the head that a run was compared with came from. */
  readonly compared: {
    readonly given: string;
    readonly checkpoint: string;
    readonly signed: string;
    readonly store: string;
  };
}

const UNPROVEN =
  'What this does not prove: who made the run, or that nothing was cut off after its last record. For that, keep its head somewhere else.';

/** The English words of a verdict, for every surface. */
export const VERDICT_WORDS: VerdictWords = {
  consistent: 'No check failed over {records} records',
  consistentOne: 'No check failed over 1 record',
  origins: {
    kept_elsewhere: ', and the head is the one that was kept elsewhere.',
    own_store: ', and its own store has the same head. No head from elsewhere was given.',
    unsigned_checkpoint: ', and the checkpoint that was given has its head. No key was given to check that checkpoint.',
    unknown_origin: '. Its origin is unknown: no head from elsewhere was given.',
  },
  unproven: {
    kept_elsewhere:
      'What this does not prove: who made the run, or what came behind the head that was kept. Whoever gives you a head with the file can have made both.',
    own_store: UNPROVEN,
    unsigned_checkpoint:
      'What this does not prove: who made the run, or the checkpoint. Check the checkpoint with the key of its log.',
    unknown_origin: UNPROVEN,
  },
  undecided: ' Its decisions were not made again.',
  cut: 'Cut off: records 0 to {last} are intact, and what came behind them is missing.',
  cutAll: 'Cut off: of this export there is nothing but its header.',
  faults: {
    anchor_unread: 'The head you gave cannot be read, so nothing was compared with it.',
    other_run: 'Consistent, but not the run you expected.',
    other_stored: 'Consistent, but not the run that its own store has.',
    no_export: 'This file is no export of a run.',
    differs: 'Intact, but run again it differs at record {place}.',
    does_not_follow: 'The chain holds, but record {place} does not follow from what is recorded before it.',
    not_intact: 'Not intact: first problem at record {place} of {records}.',
  },
  compared: {
    given: 'Compared with a head that was given by hand: {head}',
    checkpoint: 'Compared with a checkpoint of {origin} at {size} records. Its signature was not checked.',
    signed: 'Compared with a checkpoint of {origin} at {size} records, and with the key {key}.',
    store: 'Compared with the head in the store that the run came from.',
  },
};

/** The sentence of a verdict: the state, or the first fault and its place. Numbers are in the form of the language. */
export function sentenceOf(verdict: ReportVerdict, words: VerdictWords, counted: Count): string {
  demand('verdict', verdict, SENTENCE);
  demand('words', words, WORDS);
  const { sentence } = verdict;
  switch (sentence.kind) {
    case 'consistent': {
      const { records, origin, undecided } = sentence;
      const over = records === 1 ? words.consistentOne : filled(words.consistent, { records: counted(records) });
      return `${over}${words.origins[origin]}${undecided ? words.undecided : ''}`;
    }
    case 'cut':
      return sentence.records === 0 ? words.cutAll : filled(words.cut, { last: sentence.records - 1 });
    case 'not_intact':
      return filled(words.faults.not_intact, { place: sentence.place, records: counted(sentence.records) });
    default:
      return filled(words.faults[sentence.kind], { ...sentence });
  }
}

/** A sentence for each head that the run was compared with: where that head came from. The heads are strangers' texts. */
export function comparedText(verdict: ReportVerdict, words: VerdictWords, counted: Count): string[] {
  demand('verdict', verdict, COMPARED);
  demand('words', words, WORDS);
  return verdict.compared.map((each) => {
    if (each.from !== 'checkpoint') return filled(words.compared[each.from], { ...each });
    const size = counted(each.size);
    return filled(words.compared[each.key === undefined ? 'checkpoint' : 'signed'], { ...each, size });
  });
}

/** What no check can prove of the run. Undefined where a check failed: that run proves nothing. */
export function unprovenText(verdict: ReportVerdict, words: VerdictWords): string | undefined {
  demand('verdict', verdict, SENTENCE);
  demand('words', words, WORDS);
  return verdict.state === 'altered' ? undefined : words.unproven[verdict.state];
}

const SENTENCE: OptionType = [
  'a verdict, as `verdictOf` gives it',
  (value) => isObject(value) && isObject(value['sentence']),
];
const COMPARED: OptionType = [
  'a verdict, as `verdictOf` gives it',
  (value) => isObject(value) && Array.isArray(value['compared']),
];
const WORDS: OptionType = [
  'the words of verdicts in a language',
  (value) => isObject(value) && [value['faults'], value['origins'], value['compared']].every(isObject),
];

/** A number as the language of the words writes it. */
type Count = (number: number) => string;

/** Replaces `{name}` by its value; braces in a value stay as they are. */
function filled(text: string, values: { readonly [name: string]: string | number | undefined }): string {
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole));
}

const FINDING: OptionType = [
  'a finding of a check',
  (value) => isObject(value) && typeof value['message'] === 'string',
];

/** A finding as a text: with its record, unless it is about the file or the anchor. */
export function findingText(id: CheckId, finding: Finding): string {
  demand('finding', finding, FINDING);
  const { run_seq, code, message } = finding;
  return id === 'anchor' || code === 'export_cut' || code === 'export_absent'
    ? message
    : `Record ${run_seq}: ${message}`;
}

/** As `readAnchor` reads it. Undefined where the text is no anchor. */
export function anchorOf(text: string, hashes: readonly string[]): Anchor | undefined {
  demand('hashes', hashes, LIST);
  if (anchorFault(text) !== undefined) return undefined;
  const noted = readAnchor(text, hashes, undefined);
  return 'disagrees' in noted || 'malformed' in noted ? text : noted;
}
