import type { LedgerRecord } from '../../../core/index.ts';
import { type DifferingMember, isDifferent, type StepPair } from '../../../core/ledger/compare.ts';
import type { RecordTone } from '../../records/describe.ts';
import { groupSteps, outcomeOf } from '../../records/steps.ts';

/** A step of a run in a few words, in the language of the interface at the moment. */
export interface ComparedStep {
  readonly step: number;
  readonly title: string;
  readonly outcome: string;
  readonly tone: RecordTone;
}

/** A line of the comparison: a step of each run, or of a single run. */
export interface ComparedPair {
  readonly a: ComparedStep | undefined;
  readonly b: ComparedStep | undefined;
  readonly isDifferent: boolean;
  readonly differences: readonly DifferingMember[];
}

export function comparedPair(pair: StepPair): ComparedPair {
  return {
    a: comparedStep(pair.a?.records),
    b: comparedStep(pair.b?.records),
    isDifferent: isDifferent(pair),
    differences: pair.differences,
  };
}

function comparedStep(records: readonly LedgerRecord[] = []): ComparedStep | undefined {
  const [group] = groupSteps(records);
  if (group?.step === undefined) return undefined;
  return {
    step: group.step,
    tone: outcomeOf(group).tone,
    get title() {
      return groupSteps(records)[0]?.title ?? '';
    },
    get outcome() {
      const { word, place } = outcomeOf(group);
      return `${word} ${place}`.trimEnd();
    },
  };
}
