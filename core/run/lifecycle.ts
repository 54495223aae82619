import { unreachable } from '../assert.ts';
import type { Step } from '../errors/details.ts';
import { refuse } from '../errors.ts';
import { structureHash } from '../hash.ts';
import { canonicalText } from '../json/canonical.ts';
import type { Draft } from '../ledger/record.ts';
import { allNamed, limitsFor } from '../limits.ts';
import { commit, limitReached } from './commit/commit.ts';
import type { StepEnding } from './commit/records.ts';
import * as draft from './commit/records.ts';
import { type Context, remember } from './context.ts';
import type { Consent, Payload, RunEffect } from './effect.ts';
import type { Ending, RunEvent, StoredRow } from './event.ts';
import { textPayload } from './payload.ts';
import { powerEvidence, unanswered } from './powers/power-calls.ts';
import type { Executing, RunState, RunStatus, StopRequest } from './state.ts';
import { enter, executing, stay, type Transition } from './step.ts';

/**
 * Ends a run, or the open step of a session, at any moment: a person's abort, a limit of the run, or a caller that gives
 * up its call. The work of the model or the sandbox is cancelled, an open step still gets its receipt, and a write in
 * flight is awaited: records are never cut.
 */
export function stop(state: RunState, wanted: StopRequest): Transition {
  const { at } = state;
  switch (at.phase) {
    case 'INITIALIZING':
    case 'MEMORY_COMMITTING':
    case 'AUTHORIZATION_EVALUATING':
      return later(state, wanted);
    case 'IDLE':
      return wanted.ending === undefined ? stay(state) : seal(state, wanted.ending);
    case 'INPUT_RECEIVED':
      return wanted.ending === undefined ? stay(state) : seal(state, wanted.ending, [{ type: 'cancel' }]);
    case 'PROTOCOL_VALIDATING':
      return cut(state, at.open, {}, wanted);
    case 'AWAITING_APPROVAL':
      return stopAwaiting(state, at, wanted);
    case 'CAPABILITY_EXECUTING':
      return stopCall(state, at, wanted);
    case 'COMPLETED':
    case 'ERROR':
    case 'SHUTDOWN':
      return stay(state);
    default:
      return unreachable(at);
  }
}

/** Stops when the write in flight is durable. The first ending stands. */
function later(state: RunState, wanted: StopRequest): Transition {
  return [{ ...state, stopping: { ...wanted, ...state.stopping } }, []];
}

type Awaiting = Extract<RunStatus, { phase: 'AWAITING_APPROVAL' }>;

function stopAwaiting(state: RunState, at: Awaiting, wanted: StopRequest): Transition {
  switch (at.about) {
    case 'call':
      return cut(state, at.open, {}, wanted);
    case 'power':
      return stopCall(state, at.during, wanted);
    case 'consent':
      return wanted.ending === undefined ? stay(state) : seal(state, wanted.ending);
    default:
      return unreachable(at);
  }
}

function stopCall(state: RunState, at: Executing, wanted: StopRequest): Transition {
  const writing = at.waiting === 'intent' || at.pendingCalls.writes.length > 0;
  if (writing) return later(state, wanted);
  const { capability } = at.charged;
  const call = { ...powerEvidence(state, at), capability, args_hash: at.call.args.ref.sha256, strict: true };
  return cut(state, at.open, { ...unfinished(at), ...call }, wanted);
}

/**
 * The outcome of a call that is stopped. A call that has not returned may have had its effect; a call whose result is
 * being checked has its full evidence. If a power was in flight, the receipt names that as the reason, and the abort as
 * `ended_by`.
 */
function unfinished(at: Executing): StepEnding {
  if (at.waiting === 'result') return { evidence: at.result.evidence };
  const lost = unanswered(at.pendingCalls);
  return lost === undefined ? { cut: true } : { cut: true, refusal: lost.refusal, ended_by: 'aborted' };
}

/**
 * The gate that the step has reached. A proposal that is still being validated has reached no gate. A step that waits
 * for a person is at `authorize`: the records cannot tell whether the page showed its question yet.
 */
function stepOf(state: RunState): Step | undefined {
  if (state.at.phase === 'PROTOCOL_VALIDATING') return undefined;
  return executing(state) === undefined ? 'authorize' : 'execute';
}

/** Closes the open step as aborted. With an ending the same write seals the run. */
export function cut(
  state: RunState,
  open: Parameters<typeof commit>[1],
  ended: StepEnding,
  { ending }: StopRequest,
): Transition {
  const step = stepOf(state);
  const { refusal } = refuse('call_aborted', {}, step === undefined ? {} : { step });
  const [after, effects] = commit(state, open, { refusal, ...ended }, ending);
  return [after, [{ type: 'cancel' }, ...effects]];
}

/** ms before the next attempt if the model's server gives no time: doubled with each failure in a row. */
const AFTER_MS = { first: 1000, most: 30_000 } as const;

/**
 * Handles a model that gave no answer. A failure that may pass is recorded, and the run waits, paused, for its program.
 * With `modelFailuresInRow` set, the run asks again by itself, up to that number of failures in a row. Every other
 * failure, and the first beyond that number, ends the run.
 */
export function failModel(state: RunState, event: Extract<RunEvent, { type: 'model_failed' }>): Transition {
  const { code, error, retryable, after_ms } = event;
  const { modelFailuresInRow: most, ...others } = limitsFor(state.facts.limits, 'retry');
  allNamed(others);
  const failures = state.failures + 1;
  if (retryable !== true || (most !== undefined && failures > most))
    return seal(state, { state: 'failed', code, message: error.message });
  const reason = textPayload(error.message);
  const after = after_ms === undefined ? {} : { after_ms };
  const body = { event: 'model_failed', reason: reason.ref, ...after } as const;
  const next = most === undefined ? RESTING : retrying(state, failures, after_ms);
  const waiting = { message: error.message, ...after };
  const at = { phase: 'MEMORY_COMMITTING', then: 'idle' } as const;
  const drafts = [{ kind: 'state', body }] as const;
  return [
    enter(state, at, [], { ...next, waiting, failures }),
    [{ type: 'append', drafts, payloads: [reason], durability: 'strict' }],
  ];
}

const RESTING: Partial<RunState> = { mode: 'paused', stepRequested: false };

function retrying(
  { mode, stepRequested }: RunState,
  failures: number,
  after_ms: number | undefined,
): Partial<RunState> {
  const backoff = Math.min(AFTER_MS.first * 2 ** (failures - 1), AFTER_MS.most);
  return { stepRequested: stepRequested || mode === 'stepping', retryMs: after_ms ?? backoff };
}

/**
 * Continues after a step: records pending tasks, asks for the next proposal, rests, or ends. The system owns the loop
 * (XCT 5).
 */
export function continueRun(state: RunState): Transition {
  if (state.stopping?.ending !== undefined) return seal(state, state.stopping.ending);
  if (state.pendingTasks.length > 0) return recordTasks(state);
  const idle = enter(state, { phase: 'IDLE' });
  if (idle.mode === 'running' || idle.stepRequested) return askModel({ ...idle, stepRequested: false });
  return [{ ...idle, mode: 'paused' }, []];
}

/** Records the pending tasks before the model is asked. */
export function recordTasks(
  { ending: _, ...state }: RunState,
  before: readonly Draft[] = [],
  facts: readonly Payload[] = [],
  kept: readonly StoredRow[] = [],
): Transition {
  const texts = state.pendingTasks.map(textPayload);
  const tasks = texts.map(({ ref }) => ({ kind: 'task', body: { text: ref } }) as const);
  const context = state.pendingTasks.reduce<Context>((heard, task) => remember(heard, 'task', task), state.context);
  const append = {
    type: 'append',
    drafts: [...before, ...tasks],
    payloads: [...facts, ...texts],
    ...(kept.length > 0 && { kept }),
    durability: 'strict',
  } as const;
  return [enter(state, { phase: 'MEMORY_COMMITTING', then: 'idle' }, [], { context, pendingTasks: [] }), [append]];
}

/** Asks for a proposal, unless the run has used up its steps or its tokens. */
export function askModel(state: RunState): Transition {
  const reached = limitReached(state, 'ask');
  if (reached !== undefined) return seal(state, reached);
  if (needsConsent(state)) return askConsent(state);
  const { retryMs, ...asking } = state;
  const later = retryMs === undefined ? {} : { after_ms: retryMs };
  const propose = { type: 'propose', step: state.steps + 1, context: state.context, ...later } as const;
  return [enter(asking, { phase: 'INPUT_RECEIVED' }), [propose]];
}

/** Writes the run's last record. */
function seal(state: RunState, ending: Ending, before: readonly RunEffect[] = []): Transition {
  const { draft: last, payloads } = draft.seal(ending, state.steps);
  const committing = enter(state, { phase: 'MEMORY_COMMITTING', then: 'sealed' }, [], { ending });
  return [committing, [...before, { type: 'append', drafts: [last], payloads, durability: 'strict' }]];
}

/**
 * Ends the turn: the seal and all records before it are durable. A session that is closed takes no further turn. The run ends with the turn, unless a person has sent
 * another task meanwhile. Other requests made meanwhile are dropped.
 */
export function finish({ stopping, ...state }: RunState): Transition {
  const ending = state.ending ?? { state: 'failed' };
  const phase = ending.state === 'completed' && !state.facts.caller ? 'COMPLETED' : 'SHUTDOWN';
  if (phase === 'COMPLETED' && stopping?.ending === undefined && state.pendingTasks.length > 0)
    return recordTasks(enter(state, { phase }));
  const over = { mode: 'paused', stepRequested: false, pendingTasks: [], pendingNotes: 0 } as const;
  return [enter(state, { phase }, [], over), [{ type: 'end', ending }]];
}

/** A remote model is an exit for private content: content goes there only after a person's recorded yes. */
function needsConsent(state: RunState): boolean {
  return state.facts.remote !== undefined && state.labels.has('private') && !state.consented;
}

/** Writes the question, with the destination and the size of the content. */
function askConsent(state: RunState): Transition {
  const { run_id, remote: origin = '', limits } = state.facts;
  const terms = { origin, bytes: state.context?.bytes ?? 0, bytes_max: limits.contextBytes };
  const digest = structureHash('approval', canonicalText({ ...terms, run_id, step: state.steps + 1 }));
  const consent: Consent = { ...terms, digest };
  const committing = enter(state, { phase: 'MEMORY_COMMITTING', then: 'consent', consent });
  const drafts = [{ kind: 'consent', body: { event: 'asked', ...consent } }] as const;
  return [committing, [{ type: 'append', drafts, payloads: [], durability: 'strict' }]];
}

/** Puts the question to a person. The question is durable. */
export function putConsent(state: RunState, consent: Consent): Transition {
  const question = { run_id: state.facts.run_id, ...consent };
  return [enter(state, { phase: 'AWAITING_APPROVAL', about: 'consent', consent }), [{ type: 'ask_consent', question }]];
}

/** A yes lets this run's context go to this origin. A no ends the run, because its model cannot be told the context. */
export function answerConsent(
  state: RunState,
  consent: Consent,
  event: Extract<RunEvent, { type: 'answered' }>,
): Transition {
  if (event.digest !== consent.digest) return stay(state);
  const { approved, via } = event.answer;
  const record = { kind: 'consent', body: { event: 'answered', ...consent, approved, ...(via && { via }) } } as const;
  const write = { type: 'append', drafts: [record], payloads: [], durability: 'strict' } as const;
  if (!approved) {
    const ending = { state: 'failed', code: 'consent_denied' } as const;
    const last = draft.seal(ending, state.steps);
    const sealing = enter(state, { phase: 'MEMORY_COMMITTING', then: 'sealed' }, [], { ending });
    return [sealing, [{ ...write, drafts: [record, last.draft] }]];
  }
  return [enter(state, { phase: 'MEMORY_COMMITTING', then: 'propose' }, [], { consented: true }), [write]];
}
