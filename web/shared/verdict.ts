import {
  comparedText,
  type HeldAgainst,
  type Report,
  sentenceOf,
  type Tone,
  unprovenText,
  verdictOf,
} from '../../core/index.ts';
import type { IconName } from '../style/icons.ts';
import { auditView } from '../texts/en/audit-view.ts';
import { number } from '../texts/intl.ts';

/** The verdict on a run in the language of the interface, for every view that shows one. */
export interface SpokenVerdict {
  readonly tone: Tone;
  readonly icon: IconName;
  readonly sentence: string;
  /** Where each head that the run was compared with came from. */
  readonly compared: readonly string[];
  /** What no check can prove; undefined where a check failed. */
  readonly unproven: string | undefined;
}

const ICONS: { readonly [T in Tone]: IconName } = { good: 'check', own: 'disk', wait: 'help', bad: 'cross' };

export function spokenVerdict(report: Report, held: HeldAgainst): SpokenVerdict {
  const { verdicts } = auditView();
  const verdict = verdictOf(report, held);
  return {
    tone: verdict.tone,
    icon: ICONS[verdict.tone],
    sentence: sentenceOf(verdict, verdicts, number),
    compared: comparedText(verdict, verdicts, number),
    unproven: unprovenText(verdict, verdicts),
  };
}
