import type { Label } from '../../capability/guard.ts';
import type { Expansion } from '../../content/expand.ts';
import { isCount } from '../../json/value.ts';
import { arrayOf, type Form, type Forms, isWholeRef, oneOf, optional } from '../form.ts';
import type { PayloadRef } from '../payload-ref.ts';
import { type Action, isAction, isExpansion } from '../receipt.ts';
import { type Evidence, isOperationEvidence, isSpent, type OperationEvidence } from './evidence.ts';
import { isLabels, STEP, type StepRef } from './parts.ts';
import { isDecided, type PowerDecision } from './power.ts';

/** Labels of the data that the step has shown so far, sorted, and its spending. */
interface SoFar extends StepRef {
  /** Deliveries of content since the record before, as the receipt lists them. */
  readonly expanded: readonly Expansion[];
  readonly labels: readonly Label[];
  readonly spent?: NonNullable<Evidence['spent']>;
}

/**
 * What a step has done before its receipt. It is written with the records that an effect may follow: an intent, a power
 * that is issued, a question. The outcome of an effect is written before the next operation begins. So a crash leaves
 * the receipt complete up to the last of these records.
 *
 * `operation`: an operation of a message has settled. `reads`: reads of a running program that have no record of their
 * own, by the tickets of their calls.
 */
export type ProgressBody =
  | (SoFar & {
      readonly event: 'operation';
      /** Index of the operation, from 0. */
      readonly operation: number;
      readonly action: Action;
      readonly evidence: OperationEvidence;
      /** Facts that a message needs to be continued. */
      readonly state: PayloadRef;
      /** The file that a WRITE has changed for its own message, before and after it. */
      readonly staged?: PayloadRef;
    })
  | (SoFar & {
      readonly event: 'reads';
      readonly tickets: readonly number[];
      /** The calls with their arguments and answers, in the order of the tickets. */
      readonly calls: PayloadRef;
      readonly powers: readonly PowerDecision[];
      /** Content that the reads gave, in the order of `expanded`. */
      readonly given: readonly PayloadRef[];
    });

export interface ProgressBodies {
  progress: ProgressBody;
}

const SO_FAR: Form<SoFar> = {
  ...STEP,
  expanded: arrayOf(isExpansion),
  labels: isLabels,
  spent: optional(isSpent),
};

export const PROGRESS_FORMS: Forms<ProgressBodies> = {
  progress: {
    byEvent: {
      operation: {
        ...SO_FAR,
        event: oneOf('operation'),
        operation: isCount,
        action: isAction,
        evidence: isOperationEvidence,
        state: isWholeRef,
        staged: optional(isWholeRef),
      },
      reads: {
        ...SO_FAR,
        event: oneOf('reads'),
        tickets: arrayOf(isCount),
        calls: isWholeRef,
        powers: isDecided,
        given: arrayOf(isWholeRef),
      },
    },
  },
};
