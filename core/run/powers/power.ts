import { TOOLS_CALL } from '../../capability/built-in-power.ts';
import { holding } from '../../capability/check.ts';
import { type PowerAnswer, timeoutOf } from '../../capability/power.ts';
import { refuse } from '../../errors.ts';
import { canonicalText } from '../../json/canonical.ts';
import { parseJson } from '../../ledger/line.ts';
import type { Refused } from '../../outcome.ts';
import { commit } from '../commit/commit.ts';
import type { RunEvent, SettledReads } from '../event.ts';
import { powerPayload } from '../payload.ts';
import type { OpenPower, PastPower } from '../pending-power-calls.ts';
import type { Executing, RunState } from '../state.ts';
import { stay, type Transition } from '../step.ts';
import { decided, durabilityOf, failed, powerEvidence, put, shown, tell, withReads, write } from './power-calls.ts';
import { powerDecision } from './power-ledger.ts';
import { decidePower } from './power-question.ts';
import * as draft from './power-records.ts';
import { isTool, powerOf, readArgument, readResult, soleArgument } from './power-text.ts';

type PowerRequest = Extract<RunEvent, { type: 'power_asked' }>;

/**
 * Handles a guest's call of a page power. The default is to deny, as for a proposal. The power needs a grant under its
 * own hash, because a capability's declaration is only its author's claim; the guard considers the data that the model
 * and this call have read. A refusal reaches the guest as an error named by its code.
 */
export function askPower(state: RunState, before: Executing, event: PowerRequest): Transition {
  const at = withReads(shown(before, event.labels), event.reads);
  const { ticket } = event;
  if (at.pendingCalls.open.has(ticket)) return stay(state);
  const past = at.pendingCalls.answered.get(ticket);
  if (past !== undefined) return sayAgain(state, at, event, past);
  const power = powerOf(state, at, event.name);
  if (power === undefined) return tell(state, at, ticket, failed(unknownPower(event.name).refusal));
  const argument = readArgument(power, event.args, event.checked);
  if (!argument.ok) {
    const verdict = powerDecision({ ...event, power }, { decision: 'DENIED_ARGUMENT_INVALID', refused: argument });
    const [next, judged] = decided(state, at, verdict);
    return tell(next, judged, ticket, failed(argument.refusal));
  }
  const argsText = canonicalText(argument.value);
  const { effect } = power.manifest;
  const open: OpenPower = {
    ticket,
    power,
    args: powerPayload(at.open, ticket, 'asked', argsText),
    argsText,
    constraintResults: holding(event.checked),
    now: event.now,
    recorded: effect === 'write' || effect === 'egress' || isTool(at, event.name),
    stage: 'issuing',
  };
  return decidePower(state, at, open);
}

function unknownPower(name: string): Refused {
  if (name !== TOOLS_CALL) return refuse('power_unknown', { name });
  return refuse('power_arguments', { name, reason: 'it takes the name of a tool and one JSON value' });
}

/**
 * Repeats a recorded answer. The question is recorded, too: a guest that asks a different question this time, because
 * unrecorded inputs have changed, does not get the answer.
 */
function sayAgain(state: RunState, at: Executing, { ticket, name, args }: PowerRequest, past: PastPower): Transition {
  const power = powerOf(state, at, name);
  const argument = power && soleArgument(args);
  const same =
    argument !== undefined &&
    power?.hash === past.power_hash &&
    powerPayload(at.open, ticket, 'asked', canonicalText(argument.value)).ref.sha256 === past.args_hash;
  if (same) return tell(state, shown(at, power.manifest.labels), ticket, past.answer);
  const [next, effects] = interruptCall(state, at);
  return [next, [{ type: 'cancel' }, ...effects]];
}

/** Closes a parked call that cannot be continued: the ledger has its powers' effects, but not its result. */
export function interruptCall(state: RunState, at: Executing): Transition {
  const { refusal } = refuse('interrupted', {}, { step: 'execute' });
  const { capability } = at.charged;
  const call = { capability, args_hash: at.call.args.ref.sha256, cut: true, strict: true };
  return commit(state, at.open, { ...call, ...powerEvidence(state, at), refusal });
}

/**
 * Applies the page's answer, or its timeout. The answer is a stranger's text, and the guest gets exactly the recordable
 * part of it.
 */
export function returnPower(
  state: RunState,
  at: Executing,
  event: Extract<RunEvent, { type: 'power_answered' }>,
): Transition {
  const open = at.pendingCalls.open.get(event.ticket);
  if (open?.stage !== 'issued') return stay(state);
  const { manifest } = open.power;
  const read =
    event.answer === 'timeout'
      ? refuse('power_timeout', { name: manifest.name, limit: timeoutOf(open.power) })
      : readResult(open.power, event.answer, event.checked, at.charged.capability.manifest.limits.bytesIn);
  const answer = read.ok ? read.value : failed(read.refusal);
  const told = shown(at, manifest.labels);
  if (!open.recorded) return tell(state, withReads(told, readOf(told, open, answer)), open.ticket, answer);
  const kept = powerPayload(at.open, open.ticket, 'answered', canonicalText(answer));
  const record = draft.returned(at.open, open, answer.ok, kept.ref);
  const after = { then: 'answer', ticket: open.ticket, answer } as const;
  return write(state, put(told, { ...open, stage: 'answering' }), [record], [kept], after, {
    durability: durabilityOf(open),
  });
}

/** The read by a power without a record of its own. */
function readOf(
  { pendingCalls }: Executing,
  { ticket, power, argsText }: OpenPower,
  answer: PowerAnswer,
): SettledReads {
  const heard = answer.ok ? { result: parseJson(answer.text) ?? null } : { result: null, error: answer.error };
  const call = { name: power.manifest.name, args: [parseJson(argsText) ?? null], ...heard };
  return { calls: [{ ticket, call }], touched: pendingCalls.reads.touched };
}
