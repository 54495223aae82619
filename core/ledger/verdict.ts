import { demand } from '../option.ts';
import type { Anchor } from './anchor.ts';
import { parseCheckpoint } from './checkpoint.ts';
import { type Check, FAILURES, type Failure, failureOf, REPORT, type Report } from './checks.ts';

/**
 * What a report comes to, from the weakest state to the strongest. `altered`: a check failed. `unknown_origin`: no check
 * failed, and the run was compared with no head. `own_store`: it was compared only with the head in its own store, which
 * proves nothing new to a stranger. `unsigned_checkpoint`: its head stands in a checkpoint that was given, but no key was,
 * so whoever made the file can have made the checkpoint. `kept_elsewhere`: its head equals a head that was given from
 * elsewhere, by hand or in a checkpoint with a checked signature.
 */
export type VerdictState = 'altered' | 'unknown_origin' | 'own_store' | 'unsigned_checkpoint' | 'kept_elsewhere';

/** Colour of a state: `good`, green; `own`, the colour of the page's own things; `wait`, amber; `bad`, red. */
export type Tone = 'good' | 'own' | 'wait' | 'bad';

const TONES: { readonly [S in VerdictState]: Tone } = {
  altered: 'bad',
  unknown_origin: 'wait',
  own_store: 'own',
  unsigned_checkpoint: 'wait',
  kept_elsewhere: 'good',
};

/** Exit codes of a verdict: 0 where no check failed, else by the first failed check. */
export const VERDICT_EXIT = { ok: 0, tampered: 1, malformed: 2, replay: 3, decision: 4 } as const;

/** The sentence of a verdict, as a value: each language has its own words for it. `place` is the `run_seq` of a record. */
export type VerdictSentence =
  /** No check failed. `undecided`: decisions of another behaviour were not made again. */
  | {
      readonly kind: 'consistent';
      readonly records: number;
      readonly origin: Exclude<VerdictState, 'altered'>;
      readonly undecided: boolean;
    }
  /** The given anchor cannot be read. */
  | { readonly kind: 'anchor_unread' }
  /** The file is intact, and has another head than the anchor. */
  | { readonly kind: 'other_run' }
  /** The file is intact, and its store has another run under its id. */
  | { readonly kind: 'other_stored' }
  | { readonly kind: 'no_export' }
  /** The first `records` records are intact, and the rest is missing. */
  | { readonly kind: 'cut'; readonly records: number }
  /** Only the replay differs. */
  | { readonly kind: 'differs'; readonly place: number }
  /** The chain holds, but a decision made again comes out otherwise. */
  | { readonly kind: 'does_not_follow'; readonly place: number }
  | { readonly kind: 'not_intact'; readonly place: number; readonly records: number };

/** Head that a run was compared with, and where that head came from. */
export type ComparedHead =
  /** A head that a person or a program gave, as `COUNT:HEAD`, or as the text that it is. */
  | { readonly from: 'given'; readonly head: string }
  /** A checkpoint of a log. `key`: name of the key that it was asked to be signed with. */
  | { readonly from: 'checkpoint'; readonly origin: string; readonly size: number; readonly key?: string }
  /** The head in the store that the run came from. */
  | { readonly from: 'store' };

/** What the run of a report was held against. Whether its own store was asked, the report says. */
export interface HeldAgainst {
  readonly anchor?: Anchor;
  readonly key?: string;
}

export interface ReportVerdict {
  readonly state: VerdictState;
  readonly tone: Tone;
  readonly exit: number;
  readonly sentence: VerdictSentence;
  readonly compared: readonly ComparedHead[];
}

/**
 * The verdict on a run, from its report and from what it was held against: the only source of sentence, colour and exit
 * code on every surface. It starts from `ok`, so a failed check that is not known here fails.
 */
export function verdictOf(report: Report, held: HeldAgainst = {}): ReportVerdict {
  demand('report', report, REPORT);
  const failed = report.checks.filter(({ status }) => status === 'fail');
  const compared = comparedWith(report.checks, held);
  const state = report.ok && failed.length === 0 ? originOf(report.checks, compared) : 'altered';
  return {
    state,
    tone: TONES[state],
    exit: state === 'altered' ? exitOf(failed) : VERDICT_EXIT.ok,
    sentence: state === 'altered' ? faultOf(report, failed) : consistent(report, state),
    compared,
  };
}

function originOf(checks: readonly Check[], compared: readonly ComparedHead[]): Exclude<VerdictState, 'altered'> {
  const anchor = checks.find(({ id }) => id === 'anchor');
  const isUnsigned = compared.some((head) => head.from === 'checkpoint' && head.key === undefined);
  if (anchor?.status === 'pass') return isUnsigned ? 'unsigned_checkpoint' : 'kept_elsewhere';
  return isOfStore(anchor) ? 'own_store' : 'unknown_origin';
}

function isOfStore(anchor: Check | undefined): boolean {
  return anchor?.skipped?.first.code === 'anchor_of_store' || anchor?.first?.code === 'store_disagrees';
}

/** In the order of how little can be trusted afterwards. */
function exitOf(failed: readonly Check[]): number {
  const failures = new Set(failed.map(failureOf));
  return VERDICT_EXIT[FAILURES.find((failure) => failures.has(failure)) ?? 'tampered'];
}

function consistent({ checks, records }: Report, origin: Exclude<VerdictState, 'altered'>): VerdictSentence {
  // a run of another behaviour keeps its hashes; that is all that was checked of it
  const undecided = checks.some(
    ({ status, skipped }) => status === 'not_run' && skipped?.first.code === 'behaviour_other',
  );
  return { kind: 'consistent', records, origin, undecided };
}

/** The first fault of a report and its place. */
function faultOf({ records }: Report, failed: readonly Check[]): VerdictSentence {
  const inside = failed.filter(({ id }) => id !== 'anchor');
  const [{ first: worst } = {}] = failed;
  if (failed.length > 0 && inside.length === 0) {
    if (worst?.code === 'anchor_malformed') return { kind: 'anchor_unread' };
    return { kind: worst?.code === 'store_disagrees' ? 'other_stored' : 'other_run' };
  }
  if (worst?.code === 'export_absent') return { kind: 'no_export' };
  if (inside.length > 0 && inside.every(({ first }) => first?.code === 'export_cut')) return { kind: 'cut', records };
  const place = inside.length === 0 ? 0 : Math.min(...inside.map(({ first }) => first?.run_seq ?? 0));
  const only = (...failures: readonly Failure[]): boolean =>
    inside.length > 0 && inside.every((check) => failures.includes(failureOf(check)));
  if (only('replay')) return { kind: 'differs', place };
  return only('decision', 'replay') ? { kind: 'does_not_follow', place } : { kind: 'not_intact', place, records };
}

function comparedWith(checks: readonly Check[], { anchor, key }: HeldAgainst): readonly ComparedHead[] {
  const stored: readonly ComparedHead[] = isOfStore(checks.find(({ id }) => id === 'anchor'))
    ? [{ from: 'store' }]
    : [];
  return anchor === undefined ? stored : [givenOf(anchor, key), ...stored];
}

function givenOf(anchor: Anchor, key: string | undefined): ComparedHead {
  const text = textOf(anchor);
  const note = parseCheckpoint(text);
  if (!note.ok) return { from: 'given', head: text.trim() };
  const { origin, size } = note.value.checkpoint;
  const [name] = key?.split('+') ?? [];
  return { from: 'checkpoint', origin, size, ...(name !== undefined && { key: name }) };
}

function textOf(anchor: Anchor): string {
  if (typeof anchor === 'string') return anchor;
  if ('text' in anchor) return anchor.text;
  return 'head' in anchor ? `${anchor.count}:${anchor.head}` : `root ${anchor.size}:${anchor.root}`;
}
