import { unreachable } from '../assert.ts';
import type { PayloadRef } from '../ledger/payload-ref.ts';
import { refuseLate } from './authorize/approval.ts';
import { answerCall, ask } from './authorize/decide.ts';
import { refuseEdit } from './authorize/instead.ts';
import { allOf, endRevoked, refuseRevoked, revokedOf, revokeNow } from './authorize/revoke.ts';
import * as draft from './commit/records.ts';
import type { RunEvent } from './event.ts';
import { beginCall } from './execute/execute.ts';
import { loaded, outdated } from './execute/operation.ts';
import { judgeResult, settle } from './execute/settle.ts';
import {
  answerConsent,
  askModel,
  continueRun,
  cut,
  failModel,
  finish,
  putConsent,
  recordTasks,
  stop,
} from './lifecycle.ts';
import { noteRejection } from './notices.ts';
import { textPayload } from './payload.ts';
import {
  answerPower,
  askPower,
  interruptCall,
  openAsked,
  parkCall,
  powerWritten,
  putQuestions,
  returnPower,
} from './powers/power.ts';
import { askRead } from './powers/reading.ts';
import type { Committing, Executing, RunState } from './state.ts';
import { enter, executing, openStep, stay, type Transition } from './step.ts';
import { beginReplacement, charged, judge, receive, resolved, valuesGiven } from './validate/propose.ts';

/**
 * The run's state machine: (state, event) to the next state and its effects. Pure and total: equal events give equal
 * states, effects and records. A late or untimely event changes no state.
 *
 * @see FemtoClaw 10 (states), XCT 5 (the system owns the loop)
 */
export function transition(before: RunState, event: RunEvent): Transition {
  const revoking = event.type === 'revoked' ? allOf(before.revoking, event) : before.revoking;
  const after = happen({ ...before, phasesEntered: [] }, event);
  return revoking === undefined ? after : endRevoked(revokeNow(after, revoking));
}

function happen(state: RunState, event: RunEvent): Transition {
  switch (event.type) {
    case 'start':
      return state.at.phase === 'INITIALIZING' ? begin(state, event) : stay(state);
    case 'step':
    case 'run':
      return drive(state, event.type === 'run' ? 'running' : 'stepping');
    case 'pause':
      return [{ ...state, stepRequested: false, mode: state.mode === 'running' ? 'stepping' : state.mode }, []];
    case 'say':
      return say(state, event.task);
    case 'stop':
      return stop(state, { ending: event.ending });
    case 'cut':
      return openStep(state)?.step === event.step ? stop(state, {}) : stay(state);
    case 'proposed':
      return state.at.phase === 'INPUT_RECEIVED' && event.step === state.steps + 1
        ? receive(state, event)
        : stay(state);
    case 'model_failed':
      return state.at.phase === 'INPUT_RECEIVED' && event.step === state.steps + 1
        ? failModel(state, event)
        : stay(state);
    case 'checked':
      return checked(state, event);
    case 'resolved':
      return state.at.phase === 'PROTOCOL_VALIDATING' &&
        state.at.waiting === 'symbols' &&
        state.at.open.step === event.step
        ? resolved(state, state.at.open, event.found)
        : stay(state);
    case 'recalled':
      return state.at.phase === 'PROTOCOL_VALIDATING' &&
        state.at.waiting === 'values' &&
        state.at.open.step === event.step
        ? valuesGiven(state, state.at, event.bytes)
        : stay(state);
    case 'charged':
      return state.at.phase === 'PROTOCOL_VALIDATING' &&
        state.at.waiting === 'bits' &&
        state.at.open.step === event.step
        ? charged(state, state.at, event.before)
        : stay(state);
    case 'loaded':
      return state.at.phase === 'CAPABILITY_EXECUTING' &&
        state.at.waiting === 'text' &&
        state.at.open.step === event.step
        ? loaded(state, state.at, event)
        : stay(state);
    case 'outdated':
      return outdated(state, event);
    case 'answered':
      return applyAnswer(state, event);
    case 'settled':
    case 'read_asked':
    case 'power_asked':
    case 'power_answered':
    case 'parked':
    case 'park_failed':
    case 'lost':
      return inCall(state, event);
    case 'appended':
      return appended(state);
    case 'revoked':
      return stay(state);
    case 'rejected':
      return noteRejection(state, event);
    case 'noted':
      return stay(state.pendingNotes > 0 ? { ...state, pendingNotes: state.pendingNotes - 1 } : state);
    case 'append_failed':
      return failRun(state, 'log_failed', event.reason);
    case 'broken':
      return failRun(state, 'runtime_failed', event.reason);
    default:
      return unreachable(event);
  }
}

/** Writes the first record: it fixes the facts by which all later records are judged. */
function begin(state: RunState, { task, kept }: Extract<RunEvent, { type: 'start' }>): Transition {
  const { registry, policy, powers } = state.facts;
  const facts = [registry, policy, ...(powers === undefined ? [] : [powers])].map(({ text }) => textPayload(text));
  const refs = facts.map(({ ref }) => ref) as [PayloadRef, PayloadRef, PayloadRef?];
  const tasks = state.facts.caller ? [] : [task, ...state.pendingTasks];
  return recordTasks({ ...state, pendingTasks: tasks }, [draft.configuration(state.facts, ...refs)], facts, kept);
}

/**
 * Queues a person's next task. The run records it at rest; an open step finishes first. After a completed turn it
 * begins the next turn. A session has no task.
 */
function say(state: RunState, task: string): Transition {
  const { phase } = state.at;
  if (phase === 'SHUTDOWN' || state.facts.caller) return stay(state);
  const told = { ...state, pendingTasks: [...state.pendingTasks, task] };
  if (phase === 'COMPLETED') return recordTasks({ ...told, mode: 'running' });
  return phase === 'IDLE' ? recordTasks(told) : [told, []];
}

function drive(state: RunState, mode: 'running' | 'stepping'): Transition {
  if (state.at.phase === 'COMPLETED' || state.at.phase === 'SHUTDOWN') return stay(state);
  const { waiting: _, ...rested } = state;
  const driven = { ...rested, mode };
  if (state.at.phase === 'IDLE') return askModel(driven);
  const stepRequested =
    mode === 'stepping' && (state.at.phase === 'MEMORY_COMMITTING' || state.at.phase === 'INITIALIZING');
  return [{ ...driven, stepRequested }, []];
}

type OfCall = Extract<
  RunEvent,
  { type: 'settled' | 'read_asked' | 'power_asked' | 'power_answered' | 'parked' | 'park_failed' | 'lost' }
>;

/** Events of the running call. A finished call ignores them, and so does the call after it. */
function inCall(state: RunState, event: OfCall): Transition {
  const at = executing(state);
  if (at === undefined || at.waiting !== 'call' || at.open.step !== event.step || isOver(state, at)) return stay(state);
  switch (event.type) {
    case 'settled':
      return settle(state, at, event);
    case 'read_asked':
      return askRead(state, at, event);
    case 'power_asked':
      return askPower(state, at, event);
    case 'power_answered':
      return returnPower(state, at, event);
    case 'parked':
      return parkCall(state, at, event);
    case 'park_failed':
      return putQuestions(state, at);
    case 'lost':
      return interruptCall(state, at);
    default:
      return unreachable(event);
  }
}

/** The call ends as soon as its pending writes are durable. */
function isOver(state: RunState, at: Executing): boolean {
  return at.pendingCalls.settled !== undefined || revokedOf(state, at) !== undefined;
}

/** A schema's validator has answered, for the arguments of a proposal or for the result of a call. */
function checked(state: RunState, event: Extract<RunEvent, { type: 'checked' }>): Transition {
  const { at } = state;
  if (openStep(state)?.step !== event.step) return stay(state);
  if (at.phase === 'PROTOCOL_VALIDATING' && at.waiting === 'schemas') {
    const results = new Map(event.results);
    for (const [hash, verdict] of at.here) results.set(hash, verdict);
    return judge(state, at.open, at.bound, at.argsText, results, at.handles);
  }
  if (at.phase !== 'CAPABILITY_EXECUTING' || at.waiting !== 'result') return stay(state);
  const said = event.results.get(at.charged.capability.schemas.result ?? '');
  return said === undefined ? stay(state) : judgeResult(state, at, at.result, said);
}

/** A write is durable: continue at the point that waited for it. */
function appended(state: RunState): Transition {
  const { at } = state;
  switch (at.phase) {
    case 'MEMORY_COMMITTING':
      return committed(state, at);
    case 'AUTHORIZATION_EVALUATING':
      return state.stopping === undefined ? ask(state, at) : cut(state, at.open, {}, state.stopping);
    case 'AWAITING_APPROVAL':
      return at.about === 'power' ? afterPower(state, at.during) : stay(state);
    case 'CAPABILITY_EXECUTING':
      if (at.waiting !== 'intent') return afterPower(state, at);
      return state.stopping === undefined
        ? (refuseRevoked(state, at) ?? beginCall(state, at))
        : cut(state, at.open, { capability: at.charged.capability }, state.stopping);
    default:
      return stay(state);
  }
}

/** A write of the running call is durable. A call that has ended meanwhile is closed after the last of its writes. */
function afterPower(state: RunState, at: Executing): Transition {
  if (at.pendingCalls.writes.length === 0) return stay(state);
  const [next, effects] = powerWritten(state, at);
  const then = executing(next);
  if (then === undefined || then.pendingCalls.writes.length > 0) return [next, effects];
  if (next.stopping !== undefined) return stop(next, next.stopping);
  const { settled, ...pendingCalls } = then.pendingCalls;
  return settled === undefined ? endRevoked([next, effects]) : settle(next, { ...then, pendingCalls }, settled);
}

function committed(state: RunState, at: Committing): Transition {
  const isStopping = state.stopping?.ending !== undefined;
  switch (at.then) {
    case 'sealed':
      return finish(state);
    case 'idle':
      return continueRun(state);
    case 'propose':
      return isStopping ? continueRun(state) : askModel(state);
    case 'consent':
      return isStopping ? continueRun(state) : putConsent(state, at.consent);
    case 'replace':
      return isStopping ? continueRun(state) : beginReplacement(state);
    default:
      return unreachable(at);
  }
}

/**
 * Fails the run, because a ledger that cannot be written ends it: unrecorded work never runs. So does a defect of the
 * runtime. No seal records this end, and pending notes are lost.
 */
function failRun(state: RunState, code: 'log_failed' | 'runtime_failed', reason: string): Transition {
  if (state.at.phase === 'COMPLETED' || state.at.phase === 'SHUTDOWN') return stay(state);
  const ending = { state: 'failed', code, message: reason } as const;
  const dead = enter(state, { phase: 'SHUTDOWN' }, ['ERROR'], {
    ending,
    mode: 'paused',
    pendingTasks: [],
    pendingNotes: 0,
  });
  return [dead, [{ type: 'cancel' }, { type: 'end', ending }]];
}

/**
 * Applies an answer. An answer to a question that was answered is turned away, one to an unknown question is ignored, and so is an authorizer's answer if the policy names no
 * authorizer or the question is about consent.
 */
function applyAnswer(state: RunState, event: Extract<RunEvent, { type: 'answered' }>): Transition {
  const { at, policy } = state;
  if (at.phase !== 'AWAITING_APPROVAL' || !isOpen(at, event.digest)) return refuseLate(state, event);
  const isOfRules = event.answer.via === 'authorizer';
  if (isOfRules && (at.about === 'consent' || policy.authorizer === undefined)) return stay(state);
  if (event.answer.approved && event.answer.instead !== undefined && at.about !== 'call')
    return refuseEdit(state, event.digest);
  switch (at.about) {
    case 'call':
      return answerCall(state, at, event);
    case 'power':
      return answerPower(state, at.during, event);
    case 'consent':
      return answerConsent(state, at.consent, event);
    default:
      return unreachable(at);
  }
}

/** True if a person is asked this question now. */
function isOpen(at: Extract<RunState['at'], { phase: 'AWAITING_APPROVAL' }>, digest: string): boolean {
  switch (at.about) {
    case 'call':
      return at.asked.digest === digest;
    case 'power':
      return openAsked(at.during, digest) !== undefined;
    case 'consent':
      return at.consent.digest === digest;
    default:
      return unreachable(at);
  }
}
