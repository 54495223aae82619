import { handlesIn, type PlacedHandle, valueAt } from '../../capability/hold.ts';
import type { Bound } from '../../capability/registry.ts';
import { refuse } from '../../errors.ts';
import { structureHash } from '../../hash.ts';
import { canonicalText } from '../../json/canonical.ts';
import { decode } from '../../json/decode.ts';
import { changesBetween } from '../../json/difference.ts';
import { encodeText } from '../../json/utf8.ts';
import { type JsonValue, pointerTo, tokensIn } from '../../json/value.ts';
import { parseJson } from '../../ledger/line.ts';
import { DECODE_LIMITS } from '../../limits.ts';
import { type Outcome, pass, type Refusal } from '../../outcome.ts';
import { callIn, placedInArguments } from '../../protocol/call-text.ts';
import { read } from '../../protocol/parse.ts';
import { commitReplaced } from '../commit/commit.ts';
import type { Payload } from '../effect.ts';
import type { EditedArguments, RunEvent } from '../event.ts';
import { resolvedPayload } from '../held.ts';
import { newStep } from '../new-step.ts';
import type { ToldChange } from '../observe.ts';
import type { OpenCall, OpenStep, Replacement } from '../open-step.ts';
import { argsPayload, stepPayload } from '../payload.ts';
import type { RunFacts, RunState, RunStatus } from '../state.ts';
import { stay, type Transition } from '../step.ts';
import {
  type Approvals,
  answerRecord,
  digestOf,
  fixedBecause,
  type QuestionSubject,
  wantedSignatures,
  withRecords,
} from './question.ts';
import { isAsking, signedYes, signersOf, withAnswer } from './signature.ts';

/**
 * Approving with a change. A person edits the arguments of a call that waits for a yes: the call ends as `replaced`, and the
 * edited call is a proposal of the person's own, with the next step. Its id, nonce and salt follow from the replaced step,
 * so that its digest is known before the yes, and the yes is of that digest. The model hears of both in one observation.
 */

/** The call that a question is about, as an edited call needs it. The records hold all of it. */
export interface ReplacedCall {
  readonly step: number;
  readonly nonce: string;
  readonly salt?: string;
  readonly capability: string;
  /** Text of its proposal. */
  readonly proposal: string;
  /** Canonical text of its arguments as a person was shown them, with the values of its handles. */
  readonly argsText: string;
}

/** The proposal of a person, apart from the answer that it came with. */
type PersonsProposal = Omit<Replacement, 'now' | 'digest' | 'signed'>;

/** The proposal that puts a call with these canonical arguments in the place of another. */
export function proposalInstead(facts: RunFacts, replaced: ReplacedCall, argsText: string): PersonsProposal {
  const { step, nonce, salt, capability, proposal } = replaced;
  const written = parseJson(callIn(facts.dialect, proposal)?.args ?? '') ?? {};
  const found = facts.holding ? handlesIn(written) : pass([]);
  const handles = found.ok ? found.value : [];
  return {
    of: step,
    text: `{"tool_call":{"args":${argsText},"tool":${JSON.stringify(capability)}}}`,
    nonce: nonceInstead(nonce),
    ...(salt !== undefined && { salt: structureHash('salt', `${salt}\ninstead`) }),
    changed: toldChanges(replaced, argsText, written, handles),
    handles,
  };
}

/** Nonce of the call that takes the place of one with this nonce. */
export function nonceInstead(nonce: string): string {
  return structureHash('instead', nonce);
}

/** The changes as the model is told them: of a call with handles only where they are, and nothing inside of a held value. */
function toldChanges(
  { argsText: asked }: ReplacedCall,
  edited: string,
  written: JsonValue,
  handles: readonly PlacedHandle[],
): readonly ToldChange[] {
  const changes = changesBetween(parseJson(asked) ?? {}, parseJson(edited) ?? {});
  if (handles.length === 0)
    return changes.map(({ pointer, after }) => ({
      pointer,
      ...(after === undefined ? { removed: true as const } : { value: after }),
    }));
  const places = changes.map(({ pointer }) => placeWritten(pointer, written, handles));
  return [...new Set(places)].map((pointer) => ({ pointer, changed: true }));
}

/** The innermost place at or above a pointer that the model itself wrote. */
function placeWritten(pointer: string, written: JsonValue, handles: readonly PlacedHandle[]): string {
  const handle = handles.find((each) => pointer === each.pointer || pointer.startsWith(`${each.pointer}/`));
  if (handle !== undefined) return handle.pointer;
  const tokens = tokensIn(pointer);
  for (let count = tokens.length; count > 0; count--) {
    const place = tokens.slice(0, count).reduce(pointerTo, '');
    if (valueAt(written, place) !== undefined) return place;
  }
  return '';
}

/** Reads a person's proposal through the same gates as a model's, whatever the dialect of the run. */
export function readPersons(
  { registry, limits }: Pick<RunFacts, 'registry' | 'limits'>,
  text: string,
): ReturnType<typeof read> {
  const facts = { dialect: 'femtoclaw', registry, limits: { ...DECODE_LIMITS, bytes: limits.proposalBytes } } as const;
  return read(encodeText(text), facts);
}

/** The step of a person's proposal, with the record of it. */
export function personsStep(facts: RunFacts, { text, nonce, salt, of }: PersonsProposal, now: number): OpenStep {
  const event = { type: 'proposed', step: of + 1, bytes: encodeText(text), now, nonce, ...(salt && { salt }) } as const;
  return newStep(facts, event, salt !== undefined, 'person');
}

/** The arguments of a person's call. Those of a call that replaces one with handles are held, too. */
function personsArgs(open: OpenStep, { handles }: Pick<Replacement, 'handles'>, argsText: string): Payload {
  return handles.length > 0 ? resolvedPayload(open, undefined, argsText) : argsPayload(open, undefined, argsText);
}

/** An edited call, before its schemas have been checked and the policy was evaluated. */
export interface EditedCall {
  readonly bound: Bound;
  /** Its own step. */
  readonly open: OpenStep;
  readonly call: Omit<OpenCall, 'constraintResults'>;
  readonly digest: string;
  readonly persons: PersonsProposal;
  /** The question that is open. */
  readonly at: AwaitingCall;
}

type AwaitingCall = Extract<RunStatus, { phase: 'AWAITING_APPROVAL'; about: 'call' }>;

/**
 * The call with these arguments, a JSON text, in the place of the one that the question is about. Refuses with
 * `question_answered`, `question_unknown` and `edit_unavailable`, and as a proposal is refused up to its capability, with
 * places in the arguments. The rest of the gates follows in `judgeEdit`.
 */
export function editedCall(state: RunState, digest: string, given: string, now: number): Outcome<EditedCall> {
  const awaiting = awaitingAbout(state, digest);
  if (!awaiting.ok) return awaiting;
  const { value: at } = awaiting;
  const { limits, holding } = state.facts;
  const decoded = decode(encodeText(given.toWellFormed()), { ...DECODE_LIMITS, bytes: limits.proposalBytes });
  if (!decoded.ok) return decoded;
  const argsText = canonicalText(decoded.value);
  if (argsText === at.call.argsText) return unavailable('nothing is changed');
  const handles = holding ? handlesIn(decoded.value) : pass([]);
  if (!handles.ok) return handles;
  const [{ pointer } = {}] = handles.value;
  if (pointer !== undefined) return refuse('held_place', { reason: NO_HANDLES }, { step: 'arguments', pointer });
  const persons = proposalInstead(state.facts, replacedBy(at), argsText);
  const outcome = readPersons(state.facts, persons.text);
  if (!outcome.ok) return { ok: false, refusal: placedInArguments('femtoclaw', outcome.refusal) };
  if (outcome.value.kind !== 'call') return unavailable('it is no call');
  const { call: bound } = outcome.value;
  const open = personsStep(state.facts, persons, now);
  const args = personsArgs(open, persons, argsText);
  const own = digestOf(state, { hash: bound.capability.hash, args, step: open, nonce: open.nonce });
  return pass({ bound, open, call: { args, argsText }, digest: own, persons, at });
}

const NO_HANDLES = 'an edited call has values, and no handles';

function awaitingAbout(state: RunState, digest: string): Outcome<AwaitingCall> {
  const { at } = state;
  if (at.phase === 'AWAITING_APPROVAL' && at.about === 'call' && at.asked.digest === digest) {
    const reason = fixedBecause(state, { step: at.open }, at.asked);
    return reason === undefined ? pass(at) : unavailable(reason);
  }
  if (at.phase === 'AWAITING_APPROVAL' && at.about === 'consent' && at.consent.digest === digest)
    return unavailable('it is a question about content, not about a call');
  if (
    at.phase === 'AWAITING_APPROVAL' &&
    at.about === 'power' &&
    isAsking(state, digest) &&
    !state.answered.has(digest)
  )
    return unavailable('a running call asks for it');
  return refuse(state.answered.has(digest) ? 'question_answered' : 'question_unknown', {}, { step: 'approve' });
}

function unavailable(reason: string): ReturnType<typeof refuse> {
  return refuse('edit_unavailable', { reason }, { step: 'approve' });
}

function replacedBy({ open, call, asked }: AwaitingCall): ReplacedCall {
  const { step, nonce, salt, text: proposal } = open;
  const { name: capability } = asked.validated.capability.manifest;
  return { step, nonce, ...(salt && { salt }), capability, proposal, argsText: call.argsText };
}

/**
 * Applies a yes to an edited call: ends the call that was asked about. The person's own begins when that is recorded. A yes
 * to another edit, or with a signature that does not count, leaves the question open.
 */
export function replaceCall(
  state: RunState,
  event: Extract<RunEvent, { type: 'answered' }>,
  { args, digest }: EditedArguments,
  subjectOf: (at: AwaitingCall) => QuestionSubject,
): Transition {
  const edited = editedCall(state, event.digest, args, event.now);
  if (!edited.ok) return refuseAnswer(state, edited.refusal);
  const { at, persons, call, bound } = edited.value;
  if (edited.value.digest !== digest) return refuseAnswer(state, refuse('edit_stale', {}, APPROVE).refusal);
  const heard = signedYes(state, { capability_hash: bound.capability.hash, digest }, event);
  if (!heard.ok) return refuseAnswer(state, heard.refusal);
  const signed = heard.value;
  if (signed === undefined && wantedSignatures(state, at.asked) !== undefined)
    return refuseAnswer(state, refuse('assertion_missing', {}, APPROVE).refusal);
  const replacement: Replacement = { ...persons, now: event.now, digest, ...(signed && { signed }) };
  const instead = { args: stepPayload(at.open, 'instead', call.argsText), digest, now: event.now };
  const said = answerRecord(subjectOf(at), at.asked, event.answer, { signed, instead });
  const { refusal } = refuse('replaced', { instead: { step: persons.of + 1 } }, APPROVE);
  const ended = { refusal, capability: bound.capability, args_hash: at.call.args.ref.sha256, strict: true };
  return commitReplaced(withAnswer(state, event.digest), withRecords(at.open, said), ended, replacement);
}

const APPROVE = { step: 'approve' } as const;

/** Turns a yes to an edited call away where the question takes none. */
export function refuseEdit(state: RunState, digest: string): Transition {
  const awaiting = awaitingAbout(state, digest);
  return awaiting.ok ? stay(state) : refuseAnswer(state, awaiting.refusal);
}

/** The approval of a person's own call: the yes that it came with, if it is of this very call. */
export function approvalOf(state: RunState, subject: QuestionSubject): Approvals {
  const { replaces } = subject.step;
  const digest = digestOf(state, subject);
  if (replaces === undefined || replaces.digest !== digest) return { approved: false };
  const { signed } = replaces;
  const use = { capability_hash: subject.hash, digest };
  return { approved: true, signers: signersOf(state, use, signed === undefined ? [] : [signed]) };
}

/** Tells the answerer why the answer does not count. The question stays open. */
export function refuseAnswer(state: RunState, refusal: Refusal): Transition {
  return [state, [{ type: 'refuse_answer', refusal }]];
}
