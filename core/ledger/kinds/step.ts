import type { RefusalClass, Step } from '../../errors/details.ts';
import type { Code } from '../../errors.ts';
import { isHash } from '../../hash.ts';
import { isCount } from '../../json/value.ts';
import type { DialectVersion } from '../../protocol/dialect.ts';
import {
  arrayOf,
  type Form,
  type Forms,
  isProposalRef,
  isSymbol,
  isText,
  isWholeRef,
  isWord,
  oneOf,
  optional,
  shaped,
} from '../form.ts';
import type { PayloadRef } from '../payload-ref.ts';
import { CAPABILITY, isDialect, RULES, STEP, type StepRef } from './parts.ts';

/** Facts of a model's adapter about an answer, beside its text. They are recorded and take no part in decisions. */
export interface AnswerFacts {
  /** Tokens that the model's server has counted. */
  readonly usage?: { readonly input: number; readonly output: number };
  /** `length`: the answer was cut off at the limit of tokens. */
  readonly finish?: 'stop' | 'length' | 'other';
}

export interface VerdictBody extends StepRef {
  readonly accepted: boolean;
  readonly kind?: 'say' | 'call' | 'finish' | 'work';
  readonly capability?: string;
  readonly capability_hash?: string;
  readonly args?: PayloadRef;
  /** Of a message: the verdict on each operation, which is decided like a call. */
  readonly operations?: readonly {
    readonly type: 'READ' | 'WRITE' | 'EXECUTE';
    readonly target: string;
    readonly capability: string;
    readonly capability_hash: string;
    readonly args: PayloadRef;
  }[];
  /**
   * Targets of a message's symbols; absent where no symbol was looked up, or where the targets are too many to be kept.
   */
  readonly resolved?: PayloadRef;
  /** The refusal without its details, which quote the stranger: the details are in the observation's payload. */
  readonly refusal?: { readonly class: RefusalClass; readonly code: Code; readonly step: Step };
  readonly registry_hash: string;
  readonly limits_hash: string;
  readonly dialect: DialectVersion;
  readonly behaviour: number;
}

export interface ObservationBody extends StepRef {
  readonly status: 'success' | 'error';
  readonly payload: PayloadRef;
}

/** Kinds of every step: the proposal, the verdict on it, and the reply. */
export interface StepBodies {
  /**
   * `goal`: the purpose of a call of a session, as its caller stated it, or what a model said beside a call of a dialect
   * that has no place for it. `provider_data`: what the model's server demands back with the call. `wire`: the message of a host that held the call, with its bytes as they came; the proposal
   * was made from them. `window`: UTF-8 bytes of the run's history that the request could hold, where the window of the
   * model was smaller than the `contextBytes` of the run. With it the messages of the request follow from the records
   * before: also a reply that was shown in its shorter form.
   */
  proposal: StepRef &
    AnswerFacts & {
      readonly payload: PayloadRef;
      readonly goal?: PayloadRef;
      readonly provider_data?: PayloadRef;
      readonly wire?: PayloadRef;
      readonly window?: number;
      /** A person has put this call in the place of the call of the step before. */
      readonly by?: 'person';
    };
  verdict: VerdictBody;
  observation: ObservationBody;
}

const REFUSAL: Form<NonNullable<VerdictBody['refusal']>> = { class: isWord, code: isWord, step: isWord };
const ASKED_FOR: Form<NonNullable<VerdictBody['operations']>[number]> = {
  type: oneOf('READ', 'WRITE', 'EXECUTE'),
  target: isSymbol,
  ...CAPABILITY,
  args: isWholeRef,
};

export const STEP_FORMS: Forms<StepBodies> = {
  proposal: {
    ...STEP,
    payload: isProposalRef,
    usage: optional(shaped({ input: isCount, output: isCount })),
    finish: optional(oneOf('stop', 'length', 'other')),
    goal: optional(isWholeRef),
    provider_data: optional(isWholeRef),
    wire: optional(isProposalRef),
    window: optional(isCount),
    by: optional(oneOf('person')),
  },
  verdict: {
    ...STEP,
    ...RULES,
    accepted: oneOf(true, false),
    kind: optional(oneOf('say', 'call', 'finish', 'work')),
    capability: optional(isText),
    capability_hash: optional(isHash),
    args: optional(isWholeRef),
    operations: optional(arrayOf(shaped(ASKED_FOR))),
    resolved: optional(isWholeRef),
    refusal: optional(shaped(REFUSAL)),
    limits_hash: isHash,
    dialect: isDialect,
  },
  observation: { ...STEP, status: oneOf('success', 'error'), payload: isWholeRef },
};
