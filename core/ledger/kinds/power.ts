import type { Decision } from '../../capability/authorize.ts';
import type { Effect, Label } from '../../capability/guard.ts';
import type { Code } from '../../errors.ts';
import { isHash } from '../../hash.ts';
import { isCount } from '../../json/value.ts';
import {
  arrayOf,
  type Form,
  type Forms,
  isText,
  isWholeRef,
  isWord,
  oneOf,
  optional,
  shaped,
  type Test,
} from '../form.ts';
import type { PayloadRef } from '../payload-ref.ts';
import { isDecision, isEffect, isHashes, isHashOrRef, isLabels, isSaltedRef, STEP, type StepRef } from './parts.ts';

/** Which of a call's power calls a record is about. Tickets count from 1, in the order the guest asked in. */
interface PowerRef extends StepRef {
  readonly ticket: number;
  readonly power: string;
  readonly power_hash: string;
}

/**
 * A power call with the effect `write` or `egress`, or with a question to a person. Its record is acknowledged before
 * the call is issued, and the record of its answer before the guest receives the answer. Issued without an answer: the
 * outcome is unknown.
 */
export type PowerBody =
  | (PowerRef & {
      readonly event: 'issued';
      readonly effect: Effect;
      readonly args: PayloadRef;
      readonly grant: string;
      readonly policy_hash: string;
      readonly labels: readonly Label[];
      readonly now: number;
    })
  | (PowerRef & { readonly event: 'answered'; readonly status: 'success' | 'error'; readonly answer: PayloadRef });

/** Decision about a power call, as in the receipt of its call. */
export interface PowerDecision {
  readonly ticket: number;
  readonly power: string;
  readonly power_hash: string;
  readonly decision: Decision;
  readonly code?: Code;
  readonly grant?: string;
  /** The deciding grant is part of a watch. */
  readonly watched?: true;
  /** The clock value of the decision: integer ms. */
  readonly now: number;
}

/**
 * A waiting call, taken out of the sandbox: its heap is kept beside the log, and only a heap with this digest
 * continues.
 */
export interface ParkedBody extends StepRef {
  readonly image_hash: string;
  /** Of a secret step, whose heap can be guessed, the digest is a payload. */
  readonly digest: string | PayloadRef;
  /** The step's nonce, which binds a question that is put again. */
  readonly nonce: string;
  /** Labels that its powers have added so far, sorted. */
  readonly labels: readonly Label[];
  readonly powers: readonly PowerDecision[];
  /** Ids of the sections that its expansions have touched so far; absent without expansions. */
  readonly touched?: readonly string[] | PayloadRef;
}

/** Kinds of a power’s call, and of a capability’s call that is parked while it waits for a power. */
export interface PowerBodies {
  power: PowerBody;
  parked: ParkedBody;
}

const POWER: Form<PowerRef> = { ...STEP, ticket: isCount, power: isText, power_hash: isHash };
const DECIDED: Form<PowerDecision> = {
  ticket: isCount,
  power: isText,
  power_hash: isHash,
  decision: isDecision,
  code: optional(isWord),
  grant: optional(isHash),
  watched: optional(oneOf(true)),
  now: isCount,
};
/** True for a list of decisions about power calls. */
export const isDecided: Test = arrayOf(shaped(DECIDED));

export const POWER_FORMS: Forms<PowerBodies> = {
  power: {
    byEvent: {
      issued: {
        ...POWER,
        event: oneOf('issued'),
        effect: isEffect,
        args: isWholeRef,
        grant: isHash,
        policy_hash: isHash,
        labels: isLabels,
        now: isCount,
      },
      answered: { ...POWER, event: oneOf('answered'), status: oneOf('success', 'error'), answer: isWholeRef },
    },
  },
  parked: {
    ...STEP,
    image_hash: isHash,
    digest: isHashOrRef,
    nonce: isText,
    labels: isLabels,
    powers: isDecided,
    touched: optional((value) => isHashes(value) || isSaltedRef(value)),
  },
};
