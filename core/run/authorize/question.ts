import type { Assertion } from '../../approval/assertion.ts';
import type { ApprovalReason, PolicyInput, Subject } from '../../capability/authorize.ts';
import { checkStanding } from '../../capability/grant-terms.ts';
import { joined, type Label, type LabelledPlace, unaccepted } from '../../capability/guard.ts';
import { type Grant, standingChild } from '../../capability/policy.ts';
import { refuse } from '../../errors.ts';
import { structureHash } from '../../hash.ts';
import { canonicalText } from '../../json/canonical.ts';
import { isObject } from '../../json/value.ts';
import type { InsteadRecord, SignedYes } from '../../ledger/kinds/authority.ts';
import { type AnsweredVia, isForPerson, NO_CODES } from '../../ledger/kinds/parts.ts';
import type { CarriedPlace } from '../../ledger/kinds/run.ts';
import type { Draft } from '../../ledger/record.ts';
import { FLAG, OBJECT, type OptionTypes, oneOf, optionFault, TEXT } from '../../option.ts';
import { type Outcome, pass, type Refusal } from '../../outcome.ts';
import type { CarriedValue, Payload, Question, ReleasedBits, WantedSignatures } from '../effect.ts';
import type { EditedArguments, QuestionAnswer, StandingYes } from '../event.ts';
import type { AskedQuestion, OpenCall, OpenStep } from '../open-step.ts';
import { reasonRole, stepPayload } from '../payload.ts';
import type { RunFacts, RunState } from '../state.ts';

/** The use that a question is about: a call of a capability, or a running call's use of a power. */
export interface QuestionSubject extends Subject {
  readonly step: OpenStep;
  readonly args: Payload;
  readonly argsText: string;
  /** Binds an answer to this use alone. */
  readonly nonce: string;
  /** For a power: its ticket, and the name of the capability that asks for it. */
  readonly during?: { readonly ticket: number; readonly capability: string };
  /** The places of its arguments that carry held values. */
  readonly places?: readonly LabelledPlace[];
  /** Of a program's use: where the held values that it has received may have come from. */
  readonly sources?: readonly string[];
}

/** A question about this use, bound to its arguments, the run, the step and the nonce. */
export function askedAbout(
  state: RunState,
  subject: QuestionSubject,
  { why, grant }: { readonly why: ApprovalReason; readonly grant: Grant },
): AskedQuestion {
  return { digest: digestOf(state, subject), why, grant: grant.id };
}

/** Digest of a question about this use. */
export function digestOf(
  { facts: { run_id } }: Pick<RunState, 'facts'>,
  {
    hash,
    args,
    step: { step_id },
    nonce,
  }: Pick<QuestionSubject, 'hash' | 'args' | 'nonce'> & {
    readonly step: Pick<OpenStep, 'step_id'>;
  },
): string {
  return approvalDigest({ capability_hash: hash, args_hash: args.ref.sha256, run_id, step_id, nonce });
}

/** Reason why a person cannot edit the arguments of a use; undefined where an edited call can take its place. */
export function fixedBecause(
  state: Pick<RunState, 'facts' | 'policy' | 'parts'>,
  { step, during }: Pick<QuestionSubject, 'step' | 'during'>,
  asked: AskedQuestion,
): string | undefined {
  if (during !== undefined) return 'a running call asks for it';
  if (asked.why === 'authorizer') return 'the rules of an authorizer are asked about it';
  if (state.facts.undoes !== undefined) return 'it takes back what another call did';
  if (step.work !== undefined) return 'it is an operation of a message, which is decided as a whole';
  if (step.reading !== undefined) return 'it reads a held value';
  if (step.charges !== undefined) return 'its bits were charged for what it asks';
  if (step.replaces !== undefined) return 'a person has edited it already';
  if ((wantedSignatures(state, asked)?.of ?? 1) > 1) return 'more than one person has to sign it';
  return undefined;
}

/** The question as a person sees it. */
export function questionOf(state: RunState, subject: QuestionSubject, asked: AskedQuestion): Question {
  const { digest, why } = asked;
  const { run_id, registry } = state.facts;
  const { name, hash, effect, argsText, during } = subject;
  const { step_id, held, reading } = subject.step;
  const releases = releasedBits(state, subject);
  const undone = during === undefined ? undoneBy(state.facts, subject.step) : undefined;
  const carries = undone?.carries ?? carriedBy(state, subject);
  const named = registry.capabilities.get(name);
  const host = named?.hash === hash ? named.manifest.host : undefined;
  const signed = wantedSignatures(state, asked);
  const kind = host === undefined ? 'power' : 'tool';
  const asker = during === undefined ? '' : `${during.capability} asks for this ${kind} while it runs. `;
  return {
    run_id,
    step_id,
    capability: name,
    capability_hash: hash,
    effect,
    args: argsText,
    digest,
    ...((held ?? reading ?? undone?.carries) && { held: true }),
    reason: (undone?.words ?? asker) + (reading && why === 'grant' ? READING : REASONS[why]) + signedReason(signed),
    reason_code: why,
    ...(host?.origin !== undefined && { origin: host.origin }),
    ...(host?.declared !== undefined && { declared: host.declared }),
    ...(releases && { releases }),
    ...(carries.length > 0 && { carries }),
    ...(why === 'authorizer' && { why }),
    ...(signed && { signed }),
    ...(fixedBecause(state, subject, asked) === undefined && { editable: true }),
  };
}

/** For every host that shows a reason: it may have no way to sign. */
function signedReason(signed: WantedSignatures | undefined): string {
  if (signed === undefined) return '';
  const names = [...new Set(signed.by.map(({ name }) => name))].join(', ');
  return ` The yes has to be signed with a passkey, by ${signed.of} of: ${names}.`;
}

/** The signatures that the grant which asks wants; an authorizer signs nothing. */
export function wantedSignatures(
  { policy, parts }: Pick<RunState, 'policy' | 'parts'>,
  { digest, why, grant }: AskedQuestion,
): WantedSignatures | undefined {
  const signed = why === 'authorizer' ? undefined : policy.grants.find(({ id }) => id === grant)?.signed;
  if (signed === undefined) return undefined;
  const own = (parts.get(digest) ?? []).map(({ name, answer }) => ({ name, answer }));
  return { by: signed.by, of: signed.of ?? 1, parts: own };
}

/**
 * The held values in the arguments; of a program that was given some before, all that it was given, at the call itself or,
 * where a grant accepts it there, at the arguments for which no grant accepts it.
 */
function carriedBy(
  { held, policy }: RunState,
  { hash, places = [], sources = [], step }: QuestionSubject,
): readonly CarriedValue[] {
  if (step.reading !== undefined) {
    const { handle, labels } = step.reading;
    return [{ pointer: '/handle', labels, handle, sources: step.reading.sources }];
  }
  const values = places.flatMap(({ pointer, labels, handle }): readonly CarriedValue[] =>
    handle === undefined ? [] : [{ pointer, labels, handle, sources: held.get(handle)?.sources ?? [] }],
  );
  const labels = joined(...places.map((place) => place.labels));
  if (values.length > 0 || labels.length === 0) return values;
  const grants = policy.grants.filter((grant) => grant.capability_hash === hash && grant.mode !== 'deny');
  const asked = places.filter((place) => grants.every((grant) => unaccepted(grant, place).length > 0));
  if (asked.length === 0 || asked.some(({ pointer }) => pointer === '')) return [{ pointer: '', labels, sources }];
  return asked.map((place) => ({ pointer: place.pointer, labels: place.labels, sources }));
}

/** The bits of a release, of the grant that has least left. */
function releasedBits(
  { policy }: RunState,
  { step: { held, charges }, during }: QuestionSubject,
): ReleasedBits | undefined {
  const { release } = held ?? {};
  if (release === undefined || charges === undefined || during !== undefined) return undefined;
  const { bits, drops, grants } = release;
  const counts = grants.flatMap((id) => {
    const limit = policy.grants.find((grant) => grant.id === id)?.release?.bits;
    const before = charges.grants.find((each) => each.grant === id)?.before ?? 0;
    return limit === undefined ? [] : [{ charged: before + bits, left: limit - before - bits }];
  });
  const [least] = counts.sort((a, b) => a.left - b.left);
  return least && { bits, ...least, ...(drops && { drops }) };
}

const READING = 'The model wants to read this value, which it has not read.';

const REASONS: { readonly [W in ApprovalReason]: string } = {
  grant: 'The grant says to ask.',
  untrusted: 'The model has read content from outside, which may have told it to do this.',
  private_and_untrusted:
    'The model has read private content and content from outside, and this call sends something out.',
  held: 'It carries values that the model has not read, at a place that the grant does not accept them at.',
  held_private:
    'It sends out a private value that the model has not read, and content from outside may have led to it.',
  authorizer: 'A grant permits it, and the rules of this program’s authorizer have to as well.',
};

/** Records, and the payloads that they name. */
export interface DraftedRecords {
  readonly drafts: readonly Draft[];
  readonly payloads: readonly Payload[];
}

/** The step with more records to write. */
export function withRecords(open: OpenStep, { drafts, payloads }: DraftedRecords): OpenStep {
  return { ...open, drafts: [...open.drafts, ...drafts], payloads: [...open.payloads, ...payloads] };
}

function placeOf({ step: { step, step_id }, name, hash, during }: QuestionSubject, { digest }: AskedQuestion) {
  const ticket = during && { ticket: during.ticket };
  return { step, step_id, capability: name, capability_hash: hash, digest, ...ticket };
}

export function questionRecord(subject: QuestionSubject, asked: AskedQuestion): Draft {
  const { effect, args, nonce } = subject;
  return { kind: 'approval', body: { ...placeOf(subject, asked), event: 'asked', effect, args: args.ref, nonce } };
}

/** What a yes has led to, for its record. */
interface Yes {
  readonly grant?: Grant | undefined;
  readonly signed?: SignedYes | undefined;
  readonly instead?: Omit<InsteadRecord, 'args'> & { readonly args: Payload };
}

export function answerRecord(
  subject: QuestionSubject,
  asked: AskedQuestion,
  answer: QuestionAnswer,
  { grant, signed, instead }: Yes = {},
): DraftedRecords {
  const { via } = answer;
  const place = { ...placeOf(subject, asked), event: 'answered', ...(via && { via }) } as const;
  if (answer.approved) {
    const edited = instead && { instead: { args: instead.args.ref, digest: instead.digest, now: instead.now } };
    const body = { ...place, approved: true, ...(grant && { grant }), ...(signed && { signed }), ...edited } as const;
    return { drafts: [{ kind: 'approval', body }], payloads: instead ? [instead.args] : [] };
  }
  const reason = stepPayload(subject.step, reasonRole(asked.digest), answer.reason);
  const body = { ...place, approved: false, reason: reason.ref } as const;
  return { drafts: [{ kind: 'approval', body }], payloads: [reason] };
}

export function partRecord(
  subject: QuestionSubject,
  asked: AskedQuestion,
  { via }: QuestionAnswer,
  signed: SignedYes,
): Draft {
  return { kind: 'approval', body: { ...placeOf(subject, asked), event: 'part', ...(via && { via }), signed } };
}

/** The part of the policy's input that says who has approved. */
export type Approvals = Pick<PolicyInput, 'approved' | 'signers' | 'authorizerApproved'>;

/**
 * The kind of a yes. An authorizer's yes counts for its own question and for this use only, never for a question to a
 * person.
 */
export function yesOf({ via }: QuestionAnswer, why: ApprovalReason): Approvals | undefined {
  if (isForPerson(via)) return { approved: true };
  return via === 'authorizer' && why === 'authorizer' ? { approved: false, authorizerApproved: true } : undefined;
}

/** The refusal for a no: by a person, by the authorizer, or because nobody could be asked. */
export function noOf(
  { name }: Pick<Subject, 'name'>,
  { reason, via = 'program' }: Extract<QuestionAnswer, { approved: false }>,
): Refusal {
  const code = NO_CODES[via];
  if (code !== 'approval_denied' && code !== 'authorizer_denied')
    return refuse(code, { name }, { step: 'approve' }).refusal;
  return refuse(code, { reason: reason.toWellFormed() }, { step: 'approve' }).refusal;
}

/** The question that a standing answer is for, and the labels of the data that the use may carry on. */
export interface StandingQuestion {
  readonly run: string;
  readonly digest: string;
  readonly args: Pick<OpenCall['args'], 'ref'>;
  readonly labels: Iterable<Label>;
  /** Labels of the held values that the use carries. */
  readonly handled?: readonly Label[];
}

/**
 * "N times" and "until the run ends" are not approvals: they become a child of the grant that asked, and are recorded as
 * a grant. Undefined for an answer to this call alone.
 */
export function standingGrant(
  parent: Grant,
  { run, digest, args: { ref }, labels, handled }: StandingQuestion,
  answer: QuestionAnswer,
): Grant | undefined {
  if (!answer.approved || answer.standing === undefined || !isForPerson(answer.via)) return undefined;
  const { args, uses } = answer.standing;
  if (uses === 0) return undefined;
  const exact = args === 'exact' ? { args_hash: ref.sha256 } : {};
  const standing = { run, answer: digest, labels: [...labels], ...(handled && { handled }), ...exact };
  return standingChild(parent, uses === undefined ? standing : { ...standing, uses });
}

/** The call an approval is for. Another argument, step, run or definition is another call. */
interface ApprovedCall {
  readonly capability_hash: string;
  readonly args_hash: string;
  readonly run_id: string;
  readonly step_id: string;
  /** Random and recorded: the same call asked twice is two questions. */
  readonly nonce: string;
}

/**
 * Digest of the call that a person approves. It is compared again before the call runs, and an approval is used once.
 */
export function approvalDigest(call: ApprovedCall): string {
  return structureHash('approval', canonicalText(call));
}

const ANSWER: OptionTypes = {
  approved: FLAG,
  standing: OBJECT,
  signed: OBJECT,
  instead: OBJECT,
  reason: TEXT,
  via: oneOf('gesture', 'program', 'authorizer', 'nobody', 'later', 'failed'),
};
interface AnswerMembers {
  readonly approved: boolean;
  readonly standing?: object;
  readonly signed?: object;
  readonly instead?: object;
  readonly reason?: string;
  readonly via?: AnsweredVia;
}

/**
 * Parses an answer of an approver. Only `true` is a yes; a truthy value is not. Refuses with `option_invalid` an answer
 * that is neither yes nor no, or a yes with invalid `standing` or of nobody. Without `via` the answer counts as given by a program,
 * not by a person's gesture.
 */
export function answerOf(said: unknown): Outcome<QuestionAnswer> {
  if (!isObject(said)) return refuse('option_invalid', { name: 'answer', wants: OBJECT[0] });
  const fault = optionFault(said, ANSWER, ['approved']);
  if (fault !== undefined) return fault;
  // Own members only: a polluted prototype must not supply an answer.
  const {
    approved,
    standing,
    signed,
    instead,
    reason = '',
    via = 'program',
  } = Object.assign(Object.create(null), said) as AnswerMembers;
  if (!approved) return pass({ approved, reason, via });
  if (via === 'nobody' || via === 'later' || via === 'failed')
    return refuse('option_invalid', { name: 'via', wants: 'an origin that can say yes' });
  if ((signed !== undefined || instead !== undefined) && !isForPerson(via))
    return refuse('option_invalid', { name: signed ? 'signed' : 'instead', wants: 'the yes of a person' });
  // its form is checked with its signature
  const assertion = signed && { signed: signed as Assertion };
  if (instead !== undefined) {
    const edited = editedIn(instead, standing);
    return edited.ok ? pass({ approved, instead: edited.value, ...assertion, via }) : edited;
  }
  if (standing === undefined) return pass({ approved, ...assertion, via });
  const checked = checkStanding(standing);
  return checked.ok ? pass({ approved, standing: standing as unknown as StandingYes, ...assertion, via }) : checked;
}

/** Edited arguments of an answer: a person says yes to one call, and no standing answer goes with it. */
function editedIn(instead: object, standing: object | undefined): Outcome<EditedArguments> {
  // own members only, as of the answer
  const { args, digest } = Object.assign(Object.create(null), instead) as { args?: unknown; digest?: unknown };
  if (typeof args !== 'string' || typeof digest !== 'string')
    return refuse('option_invalid', { name: 'instead', wants: 'args, a JSON text, and the digest of their call' });
  if (standing !== undefined)
    return refuse('option_invalid', { name: 'standing', wants: 'an answer without edited arguments' });
  return pass({ args, digest });
}

/** What a question about a call of an undo says beside the call. */
interface UndoneWords {
  readonly words: string;
  /** Held values in the arguments. */
  readonly carries?: readonly CarriedPlace[];
}

/** The call that a step of an undo takes back: its first step the first call. Undefined in every other run. */
function undoneBy({ undoes }: RunFacts, { step }: Pick<OpenStep, 'step'>): UndoneWords | undefined {
  const call = undoes?.calls[step - 1];
  if (undoes === undefined || call === undefined) return undefined;
  const { later_calls, later_runs } = undoes;
  const stays = [
    ...(later_calls === 0
      ? []
      : [counted(later_calls, 'later call of that run stays', 'later calls of that run stay')]),
    ...(later_runs === 0 ? [] : [counted(later_runs, 'run began later', 'runs began later')]),
  ];
  const rest = stays.length === 0 ? '' : `; ${stays.join(', ')}, and may rest on it`;
  const words = `It takes back what ${call.capability} did in step ${call.step} of the run ${undoes.run_id.slice(0, 8)}${rest}. `;
  return { words, ...(call.carries && { carries: call.carries }) };
}

function counted(count: number, one: string, many: string): string {
  return `${count} ${count === 1 ? one : many}`;
}
