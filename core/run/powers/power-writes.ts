import { unreachable } from '../../assert.ts';
import { revokedOf } from '../authorize/revoked.ts';
import type { RunEvent } from '../event.ts';
import type { AfterWrite, OpenPower } from '../pending-power-calls.ts';
import type { Executing, RunState } from '../state.ts';
import { stay, type Transition } from '../step.ts';
import { issue, nextAsked, parkedKey, place, put, shown, tell, withReads, write } from './power-calls.ts';
import { askPerson } from './power-question.ts';
import * as draft from './power-records.ts';

/** Stores the heap of a parked call in a single write with its record. */
export function parkCall(state: RunState, at: Executing, event: Extract<RunEvent, { type: 'parked' }>): Transition {
  const pendingCalls = { ...withReads(shown(at, event.labels), event.reads).pendingCalls, parked: true };
  const record = draft.parked(at.open, event, pendingCalls);
  const row = { key: parkedKey(state.facts.run_id), value: event.kept };
  return write(state, { ...at, pendingCalls }, [record.draft], record.payloads, { then: 'parked' }, { kept: [row] });
}

/** Continues after a durable write of the running call, unless the call has ended meanwhile. */
export function powerWritten(state: RunState, at: Executing): Transition {
  const { pendingCalls } = at;
  const [after, ...writes] = pendingCalls.writes;
  const next = { ...at, pendingCalls: { ...pendingCalls, writes } };
  const over = state.stopping !== undefined || pendingCalls.settled !== undefined || revokedOf(state, at) !== undefined;
  return after === undefined || over ? [place(state, next), []] : act(state, next, after);
}

function act(state: RunState, at: Executing, after: AfterWrite): Transition {
  switch (after.then) {
    case 'nothing':
      return [place(state, at), []];
    case 'parked':
      return putQuestions(state, at);
    case 'unpark': {
      const { digest, image_hash, touched } = after;
      const { step } = at.open;
      return [place(state, at), [{ type: 'unpark', step, call: at.charged, digest, image_hash, touched }]];
    }
    case 'answer':
      return tell(state, at, after.ticket, after.answer);
    case 'issue':
      return withOpen(state, at, after.ticket, issue);
    case 'ask':
      return withOpen(state, at, after.ticket, question);
    default:
      return unreachable(after);
  }
}

function withOpen(
  state: RunState,
  at: Executing,
  ticket: number,
  act: (state: RunState, at: Executing, open: OpenPower) => Transition,
): Transition {
  const open = at.pendingCalls.open.get(ticket);
  return open === undefined ? stay(state) : act(state, at, open);
}

/**
 * Puts the question, unless another question is put at the moment: questions are put in sequence. The first question of
 * a call waits until the call is parked, so that nobody is asked a question that a crash would withdraw.
 */
function question(state: RunState, at: Executing, open: OpenPower): Transition {
  const { step } = at.open;
  if (!at.pendingCalls.puts) return [place(state, put(at, { ...open, stage: 'parking' })), [{ type: 'park', step }]];
  const isFirst = nextAsked(at.pendingCalls) === undefined;
  const asked: OpenPower = { ...open, stage: 'asked' };
  return [place(state, put(at, asked)), isFirst ? askPerson(state, at, asked) : []];
}

/** Puts the questions that waited until the call is parked, or until it is known that it cannot be. */
export function putQuestions(state: RunState, { pendingCalls, ...at }: Executing): Transition {
  const stages = [...pendingCalls.open].map(([ticket, open]): [number, OpenPower] => [
    ticket,
    open.stage === 'parking' ? { ...open, stage: 'asked' } : open,
  ]);
  const next: Executing = { ...at, pendingCalls: { ...pendingCalls, open: new Map(stages), puts: true } };
  const waiting = pendingCalls.puts ? undefined : nextAsked(next.pendingCalls);
  return [place(state, next), waiting === undefined ? [] : askPerson(state, next, waiting)];
}
