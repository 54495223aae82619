/** The steps of the guide, in order. */
export const GUIDE_STEPS = ['step', 'receipt', 'question', 'model'] as const;
type NamedStep = (typeof GUIDE_STEPS)[number];
/** A step of the guide, or its last words. */
export type GuideStep = NamedStep | 'end';

/** Counts of a run that only grow. */
export interface RunCounts {
  /** Undefined while no run is open. */
  readonly run: string | undefined;
  readonly proposals: number;
  readonly receipts: number;
  /** Answers of a person to questions of the run. */
  readonly answers: number;
  /** Steps that a gate stopped. */
  readonly stops: number;
}

/** State of the playground that decides whether a step of the guide is done. */
export interface GuideFacts extends RunCounts {
  /** The receipt of a step is on the screen. */
  readonly showsReceipt: boolean;
  /** A person makes the proposals of the run. */
  readonly isModel: boolean;
}

export interface GuideProgress {
  readonly step: GuideStep;
  /** A person asked for the guide again: events before that moment do not count. */
  readonly again?: true;
  /** Counts above these are new. Absent before the first `followGuide`. */
  readonly before?: RunCounts;
  /** The counts at which the last words were shown. */
  readonly atEnd?: RunCounts;
}

const IS_DONE: { readonly [S in NamedStep]: (facts: GuideFacts, before: RunCounts) => boolean } = {
  step: (facts, before) => facts.receipts > before.receipts,
  receipt: (facts) => facts.showsReceipt,
  question: (facts, before) => facts.answers > before.answers,
  model: (facts, before) => facts.isModel && facts.stops > before.stops,
};

/**
 * The progress after these facts: past each step that is done. The same object if nothing has changed; undefined where
 * a person has gone on after the last words.
 */
export function followGuide(progress: GuideProgress, facts: GuideFacts): GuideProgress | undefined {
  if (progress.step === 'end') return followEnd(progress, facts);
  const before = beforeOf(progress, facts);
  let step: GuideStep = progress.step;
  while (step !== 'end' && IS_DONE[step](facts, before)) step = stepAfter(step);
  return step === progress.step && before === progress.before ? progress : { ...progress, step, before };
}

function followEnd(progress: GuideProgress, facts: GuideFacts): GuideProgress | undefined {
  const { atEnd } = progress;
  if (atEnd === undefined) return { ...progress, atEnd: countsOf(facts) };
  return atEnd.run === facts.run && atEnd.proposals === facts.proposals ? progress : undefined;
}

function countsOf({ run, proposals, receipts, answers, stops }: RunCounts): RunCounts {
  return { run, proposals, receipts, answers, stops };
}

/** The progress after *Next*. The last words have no next step. */
export function nextGuideStep(progress: GuideProgress): GuideProgress {
  return progress.step === 'end' ? progress : { ...progress, step: stepAfter(progress.step) };
}

function stepAfter(step: NamedStep): GuideStep {
  return GUIDE_STEPS[GUIDE_STEPS.indexOf(step) + 1] ?? 'end';
}

/** Stops that were not the person's own never count: a script has proposals that a gate stops. */
function beforeOf({ again, before }: GuideProgress, facts: GuideFacts): RunCounts {
  const { run, stops } = facts;
  if (before === undefined && again === true) return countsOf(facts);
  if (before === undefined || before.run !== run) return { run, proposals: 0, receipts: 0, answers: 0, stops };
  return facts.isModel || before.stops === stops ? before : { ...before, stops };
}
