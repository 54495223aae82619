import type { Assertion, SignedAnswer } from '../../approval/assertion.ts';
import type { ApprovalReason, Decision } from '../../capability/authorize.ts';
import { GRANT_TERMS, type GrantTerms, TERM_NAMES } from '../../capability/grant-terms.ts';
import type { Effect, Label } from '../../capability/guard.ts';
import type { Grant } from '../../capability/policy.ts';
import type { Charges } from '../../capability/release.ts';
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
import { isCharges } from './evidence.ts';
import { type AnsweredVia, CAPABILITY, isDecision, isEffect, isLabels, isVia, STEP, type StepRef } from './parts.ts';

export interface DecisionBody extends StepRef {
  readonly decision: Decision;
  readonly code?: Code;
  readonly capability: string;
  readonly capability_hash: string;
  readonly args_hash: string;
  readonly policy_hash: string;
  /** Id of the deciding grant; absent where no grant applies. */
  readonly grant?: string;
  /**
   * The outcome of the call is held from its intent on; `decision`: the call has handles, and this decision is part of the
   * held outcome.
   */
  readonly held?: 'outcome' | 'decision';
  /** The deciding grant is part of a watch. */
  readonly watched?: true;
  /** Bits that the call has asked of grants. It is a release if one of them has them left. */
  readonly charges?: Charges;
  /** Why a person is asked. */
  readonly why?: ApprovalReason;
  /** Labels of the context at the decision, sorted. */
  readonly labels: readonly Label[];
  /** The only clock value that the decision depends on: integer ms. */
  readonly now: number;
}

/** A yes that a passkey has signed. */
export interface SignedYes extends Assertion {
  /** The answer that was signed. */
  readonly answer: SignedAnswer;
  /** Name of the signer, as the grant has it. */
  readonly name: string;
  /** Counter of the passkey. It decides nothing. */
  readonly counter: number;
}

/** A call that a person has put in the place of the call that was asked about. The next step is its own. */
export interface InsteadRecord {
  /** Its arguments. */
  readonly args: PayloadRef;
  /** Digest of the edited call: the yes is to this one. */
  readonly digest: string;
  /** Integer ms of the answer: the clock of the decision about the edited call. */
  readonly now: number;
}

/**
 * A question to a person, and its answer. `part`: a signed yes, where the grant wants more names than have signed so far.
 */
export type ApprovalBody = StepRef & {
  readonly capability: string;
  readonly capability_hash: string;
  /** SHA-256 over capability hash, canonical arguments, run, step and nonce: the call this approval is for. */
  readonly digest: string;
  /** The question is about a power that a running call asked for: then `capability` is the power. */
  readonly ticket?: number;
} & (
    | { readonly event: 'asked'; readonly effect: Effect; readonly args: PayloadRef; readonly nonce: string }
    | {
        readonly event: 'answered';
        readonly approved: boolean;
        /** Origin of the answer, on the word of the page. */
        readonly via?: AnsweredVia;
        readonly reason?: PayloadRef;
        readonly grant?: Grant;
        readonly signed?: SignedYes;
        readonly instead?: InsteadRecord;
      }
    | { readonly event: 'part'; readonly via?: AnsweredVia; readonly signed: SignedYes }
  );

/** Acknowledged before a call with effects starts: no durable intent, no effect. */
export interface IntentBody extends StepRef {
  readonly capability: string;
  readonly capability_hash: string;
  readonly args_hash: string;
  readonly effect: Effect;
}

/** Consent to send this run's context to a remote model. */
export interface ConsentBody {
  readonly event: 'asked' | 'answered';
  readonly origin: string;
  readonly bytes: number;
  readonly bytes_max: number;
  readonly digest: string;
  readonly approved?: boolean;
  readonly via?: AnsweredVia;
}

/** A person permits less from here on: decisions after this record use the policy with this hash. */
export interface RevocationBody {
  /**
   * With `grant`: that grant is revoked. Without: the capability is no longer enabled. In canonical order, and not
   * empty.
   */
  readonly revoked: readonly {
    readonly capability: string;
    readonly capability_hash: string;
    readonly grant?: string;
  }[];
  readonly policy_hash: string;
}

/** Kinds of permission: decisions, questions with their answers, intents and revocations. */
export interface AuthorityBodies {
  decision: DecisionBody;
  approval: ApprovalBody;
  intent: IntentBody;
  consent: ConsentBody;
  revocation: RevocationBody;
}

const GRANT: Form<Grant> = {
  id: isHash,
  capability: isText,
  capability_hash: isHash,
  where_hash: optional(isHash),
  ...termForms(),
};

/** The forms of the terms; only `mode` is in every grant. */
function termForms(): Form<GrantTerms> {
  const forms = TERM_NAMES.map((name) => [
    name,
    name === 'mode' ? GRANT_TERMS[name].form : optional(GRANT_TERMS[name].form),
  ]);
  return Object.fromEntries(forms) as Form<GrantTerms>;
}

/** True for a grant as policies and answers hold it; its hashes are not recomputed. */
export const isGrant: Test = shaped(GRANT);

const REVOKED: Form<RevocationBody['revoked'][number]> = { ...CAPABILITY, grant: optional(isHash) };
const APPROVAL = { ...STEP, ...CAPABILITY, digest: isHash, ticket: optional(isCount) };

const isSigned64: Test = (value) => isText(value) && /^[\w-]+$/.test(value as string);
const SIGNED_YES: Form<SignedYes> = {
  answer: (value) => value === 'once' || isStandingYes(value),
  name: isText,
  counter: isCount,
  key: isSigned64,
  client_data: isSigned64,
  authenticator_data: isSigned64,
  signature: isSigned64,
};
const INSTEAD: Form<InsteadRecord> = { args: isWholeRef, digest: isHash, now: isCount };
const isStandingYes: Test = shaped({ args: oneOf('exact', 'any'), uses: optional(isCount) });

export const AUTHORITY_FORMS: Forms<AuthorityBodies> = {
  decision: {
    ...STEP,
    ...CAPABILITY,
    decision: isDecision,
    code: optional(isWord),
    args_hash: isHash,
    policy_hash: isHash,
    grant: optional(isHash),
    watched: optional(oneOf(true)),
    why: optional(isWord),
    held: optional(oneOf('outcome', 'decision')),
    charges: optional(isCharges),
    labels: isLabels,
    now: isCount,
  },
  approval: {
    byEvent: {
      asked: { ...APPROVAL, event: oneOf('asked'), effect: isEffect, args: isWholeRef, nonce: isText },
      answered: {
        ...APPROVAL,
        event: oneOf('answered'),
        approved: oneOf(true, false),
        via: optional(isVia),
        reason: optional(isWholeRef),
        grant: optional(isGrant),
        signed: optional(shaped(SIGNED_YES)),
        instead: optional(shaped(INSTEAD)),
      },
      part: { ...APPROVAL, event: oneOf('part'), via: optional(isVia), signed: shaped(SIGNED_YES) },
    },
  },
  intent: { ...STEP, ...CAPABILITY, args_hash: isHash, effect: isEffect },
  consent: {
    event: oneOf('asked', 'answered'),
    origin: isText,
    bytes: isCount,
    bytes_max: isCount,
    digest: isHash,
    approved: optional(oneOf(true, false)),
    via: optional(isVia),
  },
  revocation: { revoked: arrayOf(shaped(REVOKED)), policy_hash: isHash },
};
