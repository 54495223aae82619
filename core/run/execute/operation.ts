import { withLabels } from '../../capability/guard.ts';
import type { JsonObject } from '../../json/value.ts';
import type { Refusal } from '../../outcome.ts';
import { refuseRevoked } from '../authorize/revoked.ts';
import { keep } from '../commit/commit.ts';
import { cost, type StepEnding } from '../commit/records.ts';
import type { Payload } from '../effect.ts';
import type { OpenStep, OperationResult, Permit, Work } from '../open-step.ts';
import { withProgress } from '../progress.ts';
import type { RunState } from '../state.ts';
import type { Transition } from '../step.ts';
import { launch } from './execute.ts';
import { failedExpansion, spentWith, withExpansions } from './expansions.ts';
import { close, finish } from './finish.ts';
import { attempt, type OperationFacts, operationOf, reason } from './operation-result.ts';

/** Starts the next operation in order. */
export function runNext(state: RunState, open: OpenStep, work: Work): Transition {
  const index = work.done.length;
  const permit = work.permits[index];
  if (permit === undefined) return finish(state, open, work);
  return refuseRevoked(state, { open }) ?? launch(state, open, permit);
}

/** Applies the outcome of a capability's call. */
export function executed(state: RunState, open: OpenStep, work: Work, ended: StepEnding): Transition {
  const kept = keep(open, ended);
  const { evidence, refusal, value, ended_by, powers, given = [] } = ended;
  const { result, console: lines, power_calls, heap, touched } = kept.ended;
  const more = {
    ...(evidence && cost(evidence, heap)),
    ...(ended_by === undefined ? {} : { ended_by }),
    ...(lines && { console: lines }),
    ...(power_calls && { power_calls }),
    ...(powers?.length ? { powers } : {}),
    ...(given.length > 0 ? { expanded: given.map(({ payload }) => payload.ref) } : {}),
    ...(touched && { touched }),
  };
  const labels = [...withLabels(new Set(work.labels), ended.labels ?? [])];
  const expanded = withExpansions(work, given);
  const spent = spentWith(work.spent, given, evidence?.touched ?? []);
  const payloads = [...work.payloads, ...kept.payloads];
  const after = { ...work, labels, ...expanded, spent, payloads, kept: [...work.kept, ...(ended.kept ?? [])] };
  const isExpansion = failedExpansion(evidence?.powerCalls ?? []) !== undefined;
  if (refusal !== undefined) return failed(state, open, after, refusal, more, isExpansion);
  const yields = kept.payloads.find((payload) => payload.ref === result);
  return succeeded(state, open, after, yields, { result: value ?? null }, more);
}

/** Ends an operation that succeeded. */
export function succeeded(
  state: RunState,
  open: OpenStep,
  work: Work,
  yields: Payload | undefined,
  told: JsonObject,
  ran: OperationFacts = {},
): Transition {
  const evidence = { ...ran, ...(yields && { result_hash: yields.ref.sha256 }) };
  const done = attempt(work, 'SUCCESS', yields, evidence, told);
  const payloads = yields === undefined ? work.payloads : [...work.payloads, yields];
  return next(state, open, { ...work, payloads }, done);
}

/** Ends an operation that failed. `isExpansion`: an expansion of the call failed. */
export function failed(
  state: RunState,
  open: OpenStep,
  work: Work,
  refused: Refusal,
  ran: OperationFacts = {},
  isExpansion = false,
): Transition {
  const refusal = { ...refused, step: refused.step ?? 'execute', pointer: `/ops/${work.done.length}` } as const;
  const { code, message } = refusal;
  const evidence = { ...ran, reason: reason(refusal) };
  const done = attempt(work, 'FAILURE', undefined, evidence, { code, message });
  const isFatal = isExpansion || endsMessage(work, refusal);
  return next(state, open, work, { ...done, refusal }, isFatal);
}

/**
 * Whether a failure of the current operation fails its message. An exceeded budget and a failed expansion do, even if
 * the message marks the operation as not critical, and a READ is an expansion.
 *
 * @see Catalytic Chat Contract, Budget Definitions and Error Policy
 */
function endsMessage(work: Work, { class: kind }: Refusal): boolean {
  const isCritical = work.params[work.done.length]?.critical !== false;
  return isCritical || kind === 'budget' || operationOf(work).type === 'READ';
}

/** Goes to the next operation, or ends the message. An error may quote content, so its labels count too. */
function next(state: RunState, open: OpenStep, work: Work, done: OperationResult, isFatal = false): Transition {
  const { labels = [] } = (work.permits[work.done.length] as Permit).charged.capability.manifest;
  const after: Work = {
    ...work,
    done: [...work.done, done],
    labels: [...withLabels(new Set(work.labels), labels)],
  };
  const opened = { ...open, work: withProgress(open, after) };
  if (done.refusal !== undefined && isFatal) return close(state, opened, { refusal: done.refusal });
  return runNext(state, opened, opened.work);
}
