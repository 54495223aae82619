/** Inputs from outside, restored from their records. Undefined: the bytes are not in the file. */

import { isApproved } from '../capability/authorize.ts';
import type { Grant } from '../capability/policy.ts';
import { canonicalText } from '../json/canonical.ts';
import type { JsonValue } from '../json/value.ts';
import type { ApprovalBody, SignedYes } from '../ledger/kinds/authority.ts';
import type { Evidence } from '../ledger/kinds/evidence.ts';
import { type AnsweredVia, isForPerson } from '../ledger/kinds/parts.ts';
import { saltIn } from '../ledger/payload-ref.ts';
import type { Bodies, Draft } from '../ledger/record.ts';
import { type Approvals, standingGrant } from '../run/authorize/question.ts';
import { assertionIn, signedYes, signersOf, standingIn } from '../run/authorize/signature.ts';
import type { Ending, QuestionAnswer, RunEvent, StandingYes } from '../run/event.ts';
import type { RunState } from '../run/state.ts';
import { messageNonce } from '../run/validate/work.ts';
import { bytesOf, inStep, receiptAt, storedOf, type Tape, textOf } from './tape.ts';

/** The model's answer, with the clock of its decision and the nonce of its question. */
export function proposed(tape: Tape, at: number, body: Bodies['proposal'], step: number): RunEvent | undefined {
  const { payload, usage, finish, provider_data: providerData, wire, window } = body;
  const bytes = bytesOf(tape, payload);
  const goal = body.goal && textOf(tape, body.goal);
  if (bytes === undefined || (body.goal !== undefined && goal === undefined)) return undefined;
  const decision = inStep(tape, at, 'decision');
  const asked = inStep(tape, at, 'approval', ({ event, ticket }) => event === 'asked' && ticket === undefined);
  const nonce = asked?.event === 'asked' ? asked.nonce : '';
  const isWork = inStep(tape, at, 'verdict')?.kind === 'work';
  const answer = { ...(usage && { usage }), ...(finish && { finish }) };
  const now = decision?.now ?? 0;
  const salt = saltIn(payload, storedOf(tape, payload)) ?? NO_SALT;
  const told = { ...(goal !== undefined && { goal }), ...(providerData && { providerData }), ...(wire && { wire }) };
  const given = { ...told, ...(window !== undefined && { window }) };
  return { type: 'proposed', step, bytes, answer, ...given, now, nonce: isWork ? messageNonce(nonce) : nonce, salt };
}

/** Salt for a proposal without a salt. A secret step with this salt differs from the recorded step. */
const NO_SALT = '0'.repeat(64);

/** A person's answer, with the clock of its evaluation. */
export function answered(tape: Tape, at: number, body: Bodies['approval'], digest: string): RunEvent | undefined {
  if (body.event === 'asked') return undefined;
  const now = (body.event === 'answered' && body.instead?.now) || decidedAt(tape, at);
  const answer = body.event === 'part' ? signedAgain(body.signed, body.via) : answerOf(tape, body);
  // the signatures of a file are checked with all of them
  return answer === undefined ? undefined : { type: 'answered', digest, answer, isRight: true, now };
}

function signedAgain(signed: SignedYes, via: AnsweredVia | undefined): QuestionAnswer {
  const standing = standingIn(signed);
  return { approved: true, ...(standing && { standing }), signed: assertionIn(signed), ...(via && { via }) };
}

/** Clock of the first decision from this index to the step's receipt. */
function decidedAt(tape: Tape, at: number): number {
  const decision = tape.records.slice(at, receiptAt(tape, at)).find(({ kind }) => kind === 'decision');
  return decision?.kind === 'decision' ? decision.body.now : 0;
}

function answerOf(tape: Tape, body: Extract<Bodies['approval'], { event: 'answered' }>): QuestionAnswer | undefined {
  const how = body.via && { via: body.via };
  if (!body.approved) {
    const reason = body.reason === undefined ? '' : textOf(tape, body.reason);
    return reason === undefined ? undefined : { approved: false, reason, ...how };
  }
  if (body.instead !== undefined) {
    const args = textOf(tape, body.instead.args);
    const signed = body.signed && { signed: assertionIn(body.signed) };
    const { digest } = body.instead;
    return args === undefined ? undefined : { approved: true, instead: { args, digest }, ...signed, ...how };
  }
  if (body.signed !== undefined) return signedAgain(body.signed, body.via);
  if (body.grant === undefined) return { approved: true, ...how };
  return { approved: true, standing: standingOf(body.grant), ...how };
}

/** The scope of a person's approval beyond the single call, restored from the grant that it became. */
function standingOf({ args_hash, uses }: Grant): StandingYes {
  return { args: args_hash === undefined ? 'any' : 'exact', ...(uses === undefined ? {} : { uses }) };
}

export function consented(body: Bodies['consent'], digest: string): RunEvent {
  const said: QuestionAnswer = body.approved === true ? { approved: true } : { approved: false, reason: '' };
  const answer: QuestionAnswer = { ...said, ...(body.via && { via: body.via }) };
  return { type: 'answered', digest, answer, now: 0 };
}

/** The recorded end of the run. */
export function endingOf(tape: Tape, { state, code, message }: Bodies['seal']): Ending | undefined {
  const text = message === undefined ? undefined : textOf(tape, message);
  if (message !== undefined && text === undefined) return undefined;
  return { state, ...(code === undefined ? {} : { code }), ...(text === undefined ? {} : { message: text }) };
}

/**
 * True for an end by the outside: an abort, which has a reason, the time limit, which has none, or the close of a session.
 * The run itself causes every other end.
 */
export function isFromOutside(
  tape: Tape,
  { state, code, message }: Pick<Bodies['seal'], 'state' | 'code'> & { readonly message?: unknown },
): boolean {
  if (state === 'completed') return isSession(tape) && code === undefined;
  if (state === 'aborted') return code === undefined && message !== undefined;
  return state === 'limit' && code === 'limit_wall' && message === undefined;
}

function isSession({ records: [first] }: Tape): boolean {
  return first?.kind === 'configuration' && first.body.caller === true;
}

/**
 * The stop that came within a step: its receipt says `call_aborted`, or names a power in flight, and a seal follows. In a
 * session the caller may have given up the call alone, and no seal follows. A call that was stopped has no evidence; a
 * call that had returned has.
 */
export function stopWithin(tape: Tape, at: number): StopInput | undefined {
  const receipt = receiptAt(tape, at);
  const evidence = inStep(tape, at, 'receipt')?.evidence;
  if (receipt === undefined || evidence === undefined || !isStopped(evidence)) return undefined;
  const cameBack = evidence.image_hash !== undefined;
  const seal = tape.records[receipt + 1];
  if (seal?.kind !== 'seal' || !isFromOutside(tape, seal.body))
    return isSession(tape) ? { event: { type: 'cut', step: evidence.step }, cameBack } : undefined;
  const ending = endingOf(tape, seal.body);
  return { event: ending && { type: 'stop', ending }, cameBack };
}

function isStopped({ reason, ended_by, image_hash }: Evidence): boolean {
  if (reason?.code === 'power_interrupted') return ended_by === 'aborted' && image_hash === undefined;
  return reason?.code === 'call_aborted' && ended_by === undefined;
}

/** The event is undefined if the message of the ending is not in the file. */
interface StopInput {
  readonly event: RunEvent | undefined;
  readonly cameBack: boolean;
}

/** True if the run was resumed after a crash here. A resumption is no event of the run: it starts from the records. */
export function isTakenUp({ records }: Tape, at: number): boolean {
  const record = records[at];
  return record?.kind === 'state' && (record.body.event === 'resumed' || record.body.event === 'interrupted');
}

/**
 * Reason why a person's answer is invalid. A no needs a reason. The grant of a standing yes is derived again from its
 * question, which is among the earlier records, and from its parent, which the policy must still have.
 */
export function replyFault(
  state: Pick<RunState, 'policy' | 'parts' | 'facts' | 'labels'>,
  { capability_hash: hash, digest, ...said }: Exclude<ApprovalBody, { event: 'asked' }>,
  before: readonly Draft[],
): string | undefined {
  const { policy, facts, labels } = state;
  const { signed } = said;
  const instead = said.event === 'answered' ? said.instead : undefined;
  if (
    signed !== undefined &&
    !isSignedAgain(state, { capability_hash: hash, digest: instead?.digest ?? digest }, signed)
  )
    return 'its signature is for something else';
  if (said.event === 'part') return undefined;
  const { approved, grant, reason, via } = said;
  if (approved === (reason !== undefined) || (signed !== undefined && !approved)) return 'it is neither a yes nor a no';
  if (instead !== undefined && (!approved || grant !== undefined)) return 'it is no yes to an edited call';
  if (grant === undefined) return undefined;
  const [ref] = before.flatMap(({ kind, body }) =>
    kind === 'approval' && body.event === 'asked' && body.digest === digest ? [body.args] : [],
  );
  const standing = signed === undefined ? standingOf(grant) : standingIn(signed);
  const answer = { approved, reason: '', ...(standing && { standing }), ...(via && { via }) };
  const parent = policy.grants.find(({ id, capability_hash }) => id === grant.parent && capability_hash === hash);
  if (parent === undefined || parent.parent !== undefined) return 'the grant has no parent in the policy';
  const approvals = before.flatMap(({ kind, body }) => (kind === 'approval' ? [body] : []));
  const own: ApprovalBody = { ...said, capability_hash: hash, digest };
  if (!yesFor([...approvals, own], parent).approved) return 'too few have signed';
  // the call's powers may have shown it more
  const read = grant.labels ?? [];
  if ([...labels].some((label) => !read.includes(label))) return 'the grant knows nothing of a label';
  const { handled } = grant;
  const question = { run: facts.run_id, digest, labels: read, ...(handled && { handled }) };
  const again = ref && standingGrant(parent, { ...question, args: { ref } }, answer);
  return canonicalText(again ?? null) === canonicalText(grant) ? undefined : 'the grant is not one for what was asked';
}

/** What the recorded answers to a use count as for this grant: a yes that it takes, or less. */
export function yesFor(approvals: readonly ApprovalBody[], grant: Grant): Approvals {
  const yeses = approvals.flatMap((body) =>
    body.event === 'answered' && body.approved ? [approvedBy(approvals, body, grant)] : [],
  );
  return yeses.find((yes) => isApproved(yes, grant)) ?? { approved: false, authorizerApproved: yeses.length > 0 };
}

/** A recorded yes with the parts of it that were recorded before. */
function approvedBy(
  approvals: readonly ApprovalBody[],
  { capability_hash, digest, signed, via }: Extract<ApprovalBody, { event: 'answered' }>,
  grant: Grant,
): Approvals {
  const answer = signed && canonicalText(signed.answer);
  const parts = approvals.flatMap((body) =>
    body.event !== 'asked' && body.digest === digest && body.signed !== undefined ? [body.signed] : [],
  );
  const own = parts.filter((part) => canonicalText(part.answer) === answer);
  const signers = signersOf({ policy: { grants: [grant] } }, { capability_hash, digest }, own);
  return { approved: isForPerson(via), signers, authorizerApproved: true };
}

/** True for a signed yes that is in order, but for its signature, and whose name and counter are those of the assertion. */
function isSignedAgain(
  state: Pick<RunState, 'policy' | 'parts'>,
  use: Pick<ApprovalBody, 'capability_hash' | 'digest'>,
  signed: SignedYes,
): boolean {
  const answer = signedAgain(signed, undefined);
  const again = signedYes(state, use, { type: 'answered', digest: use.digest, answer, isRight: true, now: 0 });
  return (
    again.ok && canonicalText((again.value ?? null) as JsonValue) === canonicalText(signed as unknown as JsonValue)
  );
}
