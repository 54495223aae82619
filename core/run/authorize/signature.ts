import { type Assertion, checkAssertion, type SignedAnswer } from '../../approval/assertion.ts';
import type { YesSigner } from '../../approval/signer.ts';
import { refuse } from '../../errors.ts';
import { canonicalText } from '../../json/canonical.ts';
import type { ApprovalBody, SignedYes } from '../../ledger/kinds/authority.ts';
import { type Outcome, pass } from '../../outcome.ts';
import type { RunEvent, StandingYes } from '../event.ts';
import type { RunState } from '../state.ts';

/** The policy that names who signs. */
interface SigningState {
  readonly policy: Pick<RunState['policy'], 'grants'>;
}

/** The question that an assertion is for: a record of the answer says as much. */
type SignedUse = Pick<ApprovalBody, 'capability_hash' | 'digest'>;

/**
 * The signed yes of an answer, as records hold it; undefined for an answer without an assertion. The signature itself is a
 * fact of the event. Refuses as `checkAssertion` does, with `assertion_signature`, and with `assertion_repeated` where the
 * same person has signed this answer before.
 */
export function signedYes(
  state: SigningState & Pick<RunState, 'parts'>,
  use: SignedUse,
  { answer, isRight }: Extract<RunEvent, { type: 'answered' }>,
): Outcome<SignedYes | undefined> {
  if (!answer.approved || answer.signed === undefined) return pass(undefined);
  const { key, client_data, authenticator_data, signature } = answer.signed;
  const signed = signedAnswer(answer.standing);
  const checked = checkYes(state, use, signed, answer.signed);
  if (!checked.ok) return checked;
  if (isRight !== true) return refuse('assertion_signature', {}, APPROVE);
  const { signer, counter } = checked.value;
  const yes = { answer: signed, name: signer.name, counter, key, client_data, authenticator_data, signature };
  const isRepeated = partsOf(state, use.digest, signed).some(({ name }) => name === yes.name);
  return isRepeated ? refuse('assertion_repeated', { name: yes.name }, APPROVE) : pass(yes);
}

const APPROVE = { step: 'approve' } as const;

function checkYes({ policy }: SigningState, use: SignedUse, answer: SignedAnswer, assertion: unknown) {
  const question = { digest: use.digest, definition: use.capability_hash, answer };
  return checkAssertion(assertion, question, signersFor(policy, use.capability_hash));
}

/** The persons whose signed yes can count for a use of this definition. */
function signersFor({ grants }: SigningState['policy'], hash: string): readonly YesSigner[] {
  return grants.flatMap(({ capability_hash, mode, signed }) =>
    capability_hash === hash && mode !== 'deny' ? (signed?.by ?? []) : [],
  );
}

/** The answer that is signed: yes to this call, or the terms of a standing yes. */
function signedAnswer(standing: StandingYes | undefined): SignedAnswer {
  if (standing === undefined) return 'once';
  const { args, uses } = standing;
  return uses === undefined ? { args } : { args, uses };
}

/** The standing yes of a signed answer. */
export function standingIn({ answer }: SignedYes): StandingYes | undefined {
  return answer === 'once' ? undefined : (answer as unknown as StandingYes);
}

/** The parts of a question that are signed for this very answer. */
export function partsOf(
  { parts }: Pick<RunState, 'parts'>,
  digest: string,
  answer: SignedAnswer,
): readonly SignedYes[] {
  const text = canonicalText(answer);
  return (parts.get(digest) ?? []).filter((part) => canonicalText(part.answer) === text);
}

/** Those who signed, as the policy names them now. */
export function signersOf(
  { policy }: SigningState,
  use: SignedUse,
  signed: readonly SignedYes[],
): readonly YesSigner[] {
  return signed.flatMap((yes) => {
    const checked = checkYes({ policy }, use, yes.answer, assertionIn(yes));
    return checked.ok ? [checked.value.signer] : [];
  });
}

export function assertionIn({ key, client_data, authenticator_data, signature }: SignedYes): Assertion {
  return { key, client_data, authenticator_data, signature };
}

/** The run after an answer: a part joins those before it, any other answer ends its question and their parts. */
export function withAnswer(state: RunState, digest: string, part?: SignedYes): RunState {
  const parts = new Map(state.parts);
  if (part !== undefined) return { ...state, parts: parts.set(digest, [...(parts.get(digest) ?? []), part]) };
  parts.delete(digest);
  return { ...state, parts, answered: new Map(state.answered).set(digest, 0) };
}

/** The run after a question was put: the same question may be put again where nobody knows its answer any more. */
export function withQuestion(state: RunState, digest: string): RunState {
  if (!state.answered.has(digest)) return state;
  const answered = new Map(state.answered);
  answered.delete(digest);
  return { ...state, answered };
}

/** True if the run asks a person this question, or has done so. */
export function isAsking({ at, answered }: RunState, digest: string): boolean {
  if (answered.has(digest)) return true;
  if (at.phase !== 'AWAITING_APPROVAL' || at.about === 'consent') return false;
  if (at.about === 'call') return at.asked.digest === digest;
  return [...at.during.pendingCalls.open.values()].some(({ asked }) => asked?.digest === digest);
}
