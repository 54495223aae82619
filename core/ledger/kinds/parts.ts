import type { Decision } from '../../capability/authorize.ts';
import { LABELS, type Label } from '../../capability/guard.ts';
import type { Code } from '../../errors.ts';
import { isHash } from '../../hash.ts';
import { isCount } from '../../json/value.ts';
import { DIALECT_VERSIONS } from '../../protocol/dialect.ts';
import { arrayOf, type Form, isPlainRef, isText, isUuid8, isWholeRef, oneOf, type Test } from '../form.ts';

/** The place of a record in its run: which proposal it belongs to. `step` counts from 1. */
export interface StepRef {
  readonly step: number;
  readonly step_id: string;
}

/**
 * Origin of an answer, on the word of the page: `gesture` where a card of ours saw a person's own click or key,
 * `program` where code answered, also after asking a person itself, `authorizer` where the rules that the policy names
 * answered, `nobody` for the no of a session that had no way to ask, `later` where a person is asked between two
 * requests of the caller, `failed` where the approver of the program threw or gave no answer.
 */
export type AnsweredVia = 'gesture' | 'program' | 'authorizer' | 'nobody' | 'later' | 'failed';

/** Code of the refusal that a no leads to. */
export const NO_CODES: { readonly [V in AnsweredVia]: NoCode } = {
  gesture: 'approval_denied',
  program: 'approval_denied',
  authorizer: 'authorizer_denied',
  nobody: 'approval_unavailable',
  later: 'approval_deferred',
  failed: 'approval_failed',
};
type NoCode = Extract<
  Code,
  'approval_denied' | 'authorizer_denied' | 'approval_unavailable' | 'approval_deferred' | 'approval_failed'
>;

/** True if a yes of this origin stands for the yes of a person. */
export function isForPerson(via: AnsweredVia | undefined): boolean {
  return via === undefined || via === 'gesture' || via === 'program';
}

export const STEP: Form<StepRef> = { step: isCount, step_id: isUuid8 };
export const CAPABILITY: Form<{ capability: string; capability_hash: string }> = {
  capability: isText,
  capability_hash: isHash,
};
export const RULES: Form<{ registry_hash: string; behaviour: number }> = { registry_hash: isHash, behaviour: isCount };
export const isDialect: Test = oneOf(...Object.values(DIALECT_VERSIONS));
/** True for labels as records hold them: each once, sorted. */
export const isLabels: Test = (value) =>
  Array.isArray(value) &&
  value.every((label: Label, at) => LABELS.includes(label) && (at === 0 || (value[at - 1] as Label) < label));
export const isEffect: Test = oneOf('pure', 'read', 'write', 'egress');
export const isVia: Test = oneOf('gesture', 'program', 'authorizer', 'nobody', 'later', 'failed');
export const isHashes: Test = arrayOf(isHash);
/** A reference to a salted payload, which only records of secret steps hold. */
export const isSaltedRef: Test = (value) => isWholeRef(value) && !isPlainRef(value);
/** A hash: in a record of a secret step as a salted payload, in other records in place. */
export const isHashOrRef: Test = (value) => isHash(value) || isSaltedRef(value);
const DECISIONS: readonly Decision[] = [
  'AUTHORIZED',
  'REQUIRES_APPROVAL',
  'DENIED_CAPABILITY_NOT_FOUND',
  'DENIED_CAPABILITY_DISABLED',
  'DENIED_POLICY_VIOLATION',
  'DENIED_ARGUMENT_INVALID',
];
export const isDecision: Test = oneOf(...DECISIONS);
