import { withLabels } from '../../capability/guard.ts';
import { resultLabels } from '../../capability/hold.ts';
import { canonicalText } from '../../json/canonical.ts';
import type { JsonObject } from '../../json/value.ts';
import type { HeldEvidence } from '../../ledger/kinds/evidence.ts';
import { lengthOf } from '../../ledger/payload-ref.ts';
import { payloadsIn } from '../../ledger/payloads.ts';
import type { Draft } from '../../ledger/record.ts';
import type { RunLimitOf } from '../../limits.ts';
import { callIn } from '../../protocol/call-text.ts';
import { type Context, callOf, remember, roomBesideTask } from '../context.ts';
import type { Payload } from '../effect.ts';
import type { Ending } from '../event.ts';
import { bytesOf } from '../execute/expansions.ts';
import { afterHeld, handedBy, heldEvidence, heldHandle, heldReply, releaseLabels, releaseReply } from '../held.ts';
import { type LeftOut, observePartial, observeRefusal, observeResult, replacedText, replyText } from '../observe.ts';
import type { HeldStep, OpenStep, Replacement, Work } from '../open-step.ts';
import { answerPayload, hidden, operationIn, resultPayload, stepPayload } from '../payload.ts';
import type { RunState } from '../state.ts';
import { enter, type Transition } from '../step.ts';
import * as draft from './records.ts';

/**
 * Ends a proposal in exactly one receipt. A single write holds the model's reply, the evidence and, after the last
 * step, the seal.
 */
export function commit(before: RunState, open: OpenStep, ended: draft.StepEnding, ending?: Ending): Transition {
  if (open.held !== undefined) return commitHeld(before, open, open.held, ended, ending);
  const { stopping, ...state } = before;
  const { contextBytes } = state.facts.limits;
  const room = roomBesideTask(state.context, contextBytes);
  const text = told(open, replyTo(ended), room, () => leftOut(open, ended));
  const reply = stepPayload(open, 'reply', text);
  const observation = draft.observation(open, statusOf(open, ended), reply.ref);
  const refusalsInRow = ended.refusal === undefined ? 0 : state.refusalsInRow + 1;
  const expandedBytes = state.expandedBytes + bytesExpanded(open, ended);
  // what was read on purpose is told with its labels, once the call has run
  const read = isRun(open, ended) ? (open.reading?.labels ?? []) : [];
  const labels = withLabels(labelsAfter(state, ended), [...(open.labels ?? []), ...(open.work?.labels ?? []), ...read]);
  const next = { ...state, refusalsInRow, context: contextAfter(state, open, text), labels, expandedBytes };
  return write(next, open, ended, [observation], [reply], ending ?? stopping?.ending ?? limitReached(next, 'receipt'));
}

/** The text of a reply. A call that a person has put in the place of another is told as what came of that one. */
function told({ replaces, step }: OpenStep, reply: JsonObject, room: number, leftOut: () => LeftOut): string {
  if (replaces === undefined) return replyText(reply, room, leftOut);
  return replacedText({ step, changed: replaces.changed }, reply, room, leftOut);
}

function statusOf({ replaces }: OpenStep, { refusal }: draft.StepEnding): 'success' | 'error' {
  return refusal === undefined && replaces === undefined ? 'success' : 'error';
}

/**
 * Ends a call that a person has replaced, in a receipt of its own. Nothing was executed, so no use is charged. The model
 * hears of it when the person's call has ended.
 */
export function commitReplaced(
  before: RunState,
  open: OpenStep,
  ended: draft.StepEnding,
  replacement: Replacement,
): Transition {
  const { stopping: _, ...state } = before;
  const labels = withLabels(state.labels, open.labels ?? []);
  const next = { ...state, labels, replacement, context: contextWith(state, open) };
  const [after, effects] =
    open.held?.by === 'handles' ? writeHeld(next, open, open.held, ended) : write(next, open, ended, [], [], undefined);
  const at = { phase: 'MEMORY_COMMITTING', then: 'replace' } as const;
  return [{ ...after, at }, effects];
}

/** The receipt of a held call that a person has replaced. Its handle stands for a call without a value. */
function writeHeld(state: RunState, open: OpenStep, held: HeldStep, ended: draft.StepEnding): Transition {
  const { evidence, payloads } = heldEvidence(open, held, ended);
  const after = afterHeld(state, { step: open.step, evidence, isGood: false, bytes: 0 });
  return write({ ...state, ...after, used: state.used }, open, { ...ended, held: evidence }, [], payloads, undefined);
}

function isRun({ work }: OpenStep, { evidence }: draft.StepEnding): boolean {
  return evidence !== undefined || (work?.done.length ?? 0) > 0;
}

/**
 * Ends a held step. The model hears the same reply to every outcome. Neither the labels of its context nor any count that
 * a later decision is told by depends on the outcome, which stands in the receipt.
 */
function commitHeld(
  before: RunState,
  open: OpenStep,
  held: HeldStep,
  ended: draft.StepEnding,
  ending: Ending | undefined,
): Transition {
  const { stopping, ...state } = before;
  const { evidence, payloads } = heldEvidence(open, held, ended);
  const room = roomBesideTask(state.context, state.facts.limits.contextBytes);
  const text = textOfHeld(open, held, { ended, evidence }, room);
  const reply = stepPayload(open, 'reply', text);
  const observation = draft.observation(open, open.replaces ? 'error' : 'success', reply.ref);
  const { from, labels = [], used = state.used } = held.message ?? {};
  const after = afterHeld(
    { ...state, used },
    {
      step: open.step,
      evidence,
      isGood: ended.refusal === undefined || ended.partial !== undefined,
      bytes: bytesExpanded(open, ended),
      ...(from !== undefined && { operations: operationsFrom(open, ended, from) }),
    },
  );
  // the same labels for every value, and for none
  const released = held.release ? releaseLabels(held.outcome, held.release) : [];
  const shown = withLabels(state.labels, [...(open.labels ?? []), ...labels, ...released]);
  const next = { ...state, ...after, labels: shown, context: contextAfter(state, open, text) };
  return write(
    next,
    open,
    { ...ended, held: evidence, kept: [...(ended.kept ?? []), ...handedBy(state, open, 'end')] },
    [observation],
    [reply, ...payloads],
    ending ?? stopping?.ending,
  );
}

/** The reply of a held step: the released value, or a handle, behind the operations that are told. */
function textOfHeld(
  open: OpenStep,
  held: HeldStep,
  { ended, evidence }: { readonly ended: draft.StepEnding; readonly evidence: HeldEvidence },
  room: number,
): string {
  if (held.release) return replyText(observeResult(releaseReply(ended, evidence)), room, () => leftOut(open, ended));
  const reply = observeResult(heldReply(open, held));
  if (open.replaces !== undefined) return told(open, reply, room, () => ({}));
  // without operations that are told the reply is a handle alone
  return held.message?.from ? replyText(reply, room, () => leftOutOfHeld(open, held)) : canonicalText(reply);
}

/** The capabilities of a message from this operation on, by their hashes. */
function operationsFrom({ work }: OpenStep, { recovered }: draft.StepEnding, from: number): readonly string[] {
  const all = recovered?.judged ?? work?.plans.map(({ validated }) => validated.capability.hash) ?? [];
  return all.slice(from);
}

/** What the reply to a held message leaves out: results of the operations that are told. */
function leftOutOfHeld(open: OpenStep, held: HeldStep): LeftOut {
  const done = open.work?.done.slice(0, held.message?.from) ?? [];
  return { results: resultsOf(done), rest: heldHandle(open, held) };
}

/** What a reply that is too long leaves out. The results of a message that has failed are in no reply. */
function leftOut(open: OpenStep, { resultText, refusal, partial }: draft.StepEnding): LeftOut {
  if (resultText !== undefined) return { result: resultPayload(open, resultText).ref };
  const done = refusal === undefined || partial !== undefined ? (open.work?.done ?? []) : [];
  return { results: resultsOf(done) };
}

function resultsOf(done: Work['done']): NonNullable<LeftOut['results']> {
  return done.flatMap(({ yields }, operation) => (yields === undefined ? [] : [{ operation, ...yields.ref }]));
}

function bytesExpanded({ work }: OpenStep, { given = [], recovered }: draft.StepEnding): number {
  if (recovered === undefined) return work?.spent.bytes ?? bytesOf(given);
  return recovered.spent?.bytes ?? recovered.given.reduce((sum, ref) => sum + lengthOf(ref), 0);
}

/** The context with the proposal and its reply. The caller of a session keeps its own. */
function contextAfter(state: RunState, open: OpenStep, reply: string): Context {
  const { caller, limits } = state.facts;
  return caller ? undefined : remember(contextWith(state, open), 'observation', reply, limits.contextBytes);
}

/** The context with the proposal; without one of a person, which is told in the reply to the call that it replaces. */
function contextWith({ context, facts }: RunState, open: OpenStep): Context {
  if (facts.caller || open.replaces !== undefined) return context;
  const call = callOf(open.step, callIn(facts.dialect, open.text), open.providerData?.text);
  return remember(context, 'proposal', open.text, facts.limits.contextBytes, call);
}

/** Ends a `say` proposal, which gets no reply: it completes the turn. */
export function commitLast(state: RunState, open: OpenStep, message: string): Transition {
  const labels = withLabels(state.labels, open.labels ?? []);
  const next = { ...state, refusalsInRow: 0, context: remember(state.context, 'proposal', open.text), labels };
  return write(next, open, {}, [], [], { state: 'completed', message });
}

/** An error may quote the data that the call has read, so a failed call leaves the same labels as a successful call. */
function labelsAfter(
  state: RunState,
  { capability, evidence, labels: powerLabels = [] }: draft.StepEnding,
): RunState['labels'] {
  const shown = withLabels(state.labels, powerLabels);
  return capability === undefined || evidence === undefined
    ? shown
    : withLabels(shown, resultLabels(state, capability));
}

function replyTo(ended: draft.StepEnding): JsonObject {
  if (ended.refusal === undefined) return observeResult(ended.value ?? null);
  return ended.partial === undefined ? observeRefusal(ended.refusal) : observePartial(ended.refusal, ended.partial);
}

function write(
  state: RunState,
  open: OpenStep,
  ended: draft.StepEnding,
  drafts: readonly Draft[],
  payloads: readonly Payload[],
  ending: Ending | undefined,
): Transition {
  const kept = keep(open, ended);
  // a successful call keeps the rows that it put, whether or not its message succeeds
  const rows = [...(open.work?.kept ?? []), ...(ended.kept ?? [])];
  const last = ending && draft.seal(ending, state.steps);
  const records = [...open.drafts, ...drafts, draft.receipt(open, state, kept.ended), ...(last ? [last.draft] : [])];
  const durability = ending === undefined && ended.strict !== true ? 'relaxed' : 'strict';
  const content = ended.content?.length ? { content: ended.content } : {};
  const rollback = ended.content?.length ? { rollback: { state: ended.before ?? state, open } } : {};
  const append = {
    type: 'append',
    drafts: records,
    payloads: [
      ...open.payloads,
      ...named(records, open.work),
      ...payloads,
      ...kept.payloads,
      ...(last?.payloads ?? []),
    ],
    ...(rows.length > 0 ? { kept: rows } : {}),
    ...content,
    durability,
  } as const;
  if (ending === undefined) return [enter(state, { phase: 'MEMORY_COMMITTING', then: 'idle', ...rollback }), [append]];
  return [enter(state, { phase: 'MEMORY_COMMITTING', then: 'sealed', ...rollback }, [], { ending }), [append]];
}

/** The payloads of a message that its records still name: a withdrawn WRITE has no result. */
function named(records: readonly Draft[], work: Work | undefined): readonly Payload[] {
  if (work === undefined) return [];
  const hashes = payloadsIn(records);
  return work.payloads.filter(({ ref }) => hashes.has(ref.sha256));
}

/** Stores the console output and the power calls of the guest beside the log, and names them in the receipt. */
export function keep(
  open: OpenStep,
  ended: draft.StepEnding,
): { readonly ended: draft.StepEnding; readonly payloads: readonly Payload[] } {
  const { evidence, resultText } = ended;
  const operation = operationIn(open);
  const json = (role: string, value: unknown) => stepPayload(open, `${role} ${operation}`, canonicalText(value));
  const lines = evidence?.console.length ? json('console', evidence.console) : undefined;
  const calls = evidence?.powerCalls.length ? json('power calls', evidence.powerCalls) : undefined;
  const result = resultText === undefined ? undefined : resultPayload(open, resultText);
  const answer = evidence?.told?.answer === undefined ? undefined : answerPayload(open, evidence.told.answer);
  const given = ended.given?.map(({ payload }) => payload) ?? [];
  const heap = evidence?.heap_hash === undefined ? undefined : hidden(open, `heap ${operation}`, evidence.heap_hash);
  const touched = evidence?.touched?.length ? hidden(open, `touched ${operation}`, evidence.touched) : undefined;
  const named = {
    ...ended,
    ...(lines === undefined ? {} : { console: lines.ref }),
    ...(calls === undefined ? {} : { power_calls: calls.ref }),
    ...(result === undefined ? {} : { result: result.ref }),
    ...(answer === undefined ? {} : { answer: answer.ref }),
    ...(heap === undefined ? {} : { heap: heap.told }),
    ...(touched === undefined || open.work === undefined ? {} : { touched: touched.told }),
  };
  const listed = open.work === undefined ? undefined : touched?.payload;
  // an answer that holds nothing but the value is the same bytes
  const own = answer?.ref.sha256 === result?.ref.sha256 ? undefined : answer?.payload;
  const all = [lines, calls, result, own, heap?.payload, listed, ...given];
  return { ended: named, payloads: all.filter((payload) => payload !== undefined) };
}

/** A limit of a run that is compared with a count of the run. */
interface CountedLimit {
  readonly code: 'limit_steps' | 'limit_refusals' | 'limit_tokens';
  /** Compared before the model is asked, or behind the receipt of a refused step. */
  readonly at: 'ask' | 'receipt';
  count(state: RunState): number;
}

const COUNTED: { readonly [L in RunLimitOf<'count'>]: CountedLimit } = {
  steps: { code: 'limit_steps', at: 'ask', count: ({ steps, facts }) => steps + (facts.carried?.steps ?? 0) },
  tokens: { code: 'limit_tokens', at: 'ask', count: ({ tokens }) => (tokens?.input ?? 0) + (tokens?.output ?? 0) },
  refusalsInRow: { code: 'limit_refusals', at: 'receipt', count: ({ refusalsInRow }) => refusalsInRow },
};

const NAMES = Object.keys(COUNTED) as (keyof typeof COUNTED)[];

/** The end of a run that has reached one of its limits; undefined while it may go on. */
export function limitReached(state: RunState, at: CountedLimit['at']): Ending | undefined {
  const { limits } = state.facts;
  const reached = NAMES.find((name) => {
    const { [name]: limit } = limits;
    return COUNTED[name].at === at && limit !== undefined && COUNTED[name].count(state) >= limit;
  });
  return reached && { state: 'limit', code: COUNTED[reached].code };
}
