import type { JsonObject } from '../../json/value.ts';
import type { Evidence, OperationEvidence } from '../../ledger/kinds/evidence.ts';
import type { Action, Receipt } from '../../ledger/receipt.ts';
import type { Refusal } from '../../outcome.ts';
import type { Operation } from '../../protocol/proposal.ts';
import type { Payload } from '../effect.ts';
import type { OperationResult, Permit, Work } from '../open-step.ts';

/** The current operation. */
export function operationOf({ message, done }: Work): Operation {
  return message.ops[done.length] as Operation;
}

/** Facts of an attempted operation. */
export type OperationFacts = Omit<OperationEvidence, 'capability_hash' | 'args_hash'>;

export function attempt(
  work: Work,
  status: Action['status'],
  yields: Payload | undefined,
  ran: OperationFacts,
  told: JsonObject,
): OperationResult {
  const { type, target } = operationOf(work);
  const { charged, call } = work.permits[work.done.length] as Permit;
  const { hash: capability_hash } = charged.capability;
  return {
    action: { type, target, status, result: yields?.ref ?? {} },
    evidence: { capability_hash, args_hash: call.args.ref.sha256, ...ran },
    told: { type, target, status, ...told },
    ...(yields && { yields }),
  };
}

/** Turns a WRITE of a failed message into a failed action: none of it is committed. */
export function withdrawn(done: OperationResult, refusal: Refusal): OperationResult {
  if (done.action.type !== 'WRITE' || done.refusal !== undefined) return done;
  const { yields: _, ...rest } = done;
  const { type, target } = done.action;
  const { code, message } = refusal;
  const { result_hash: __, ...evidence } = done.evidence;
  return {
    ...rest,
    refusal,
    action: { type, target, status: 'FAILURE', result: {} },
    evidence: { ...evidence, reason: reason(refusal) },
    told: { type, target, status: 'FAILURE', code, message },
  };
}

export function outputsOf({ done, params }: Work): Receipt['outputs'] {
  const named = done.flatMap(({ yields }, index) => {
    const output = params[index]?.output;
    return output === undefined || yields === undefined ? [] : [[output, yields.ref] as const];
  });
  return Object.fromEntries(named);
}

/** Receipt members of a message: every attempted operation, in order, with an interrupted operation last. */
export function workDone(
  work: Work,
  { refusal, partial }: { readonly refusal?: Refusal; readonly partial?: unknown },
  isCut: boolean,
): Pick<Receipt, 'expanded' | 'actions' | 'outputs'> & Required<Pick<Evidence, 'operations' | 'spent'>> {
  const { symbols, sections, bytes, expands } = work.spent;
  const done = refusal === undefined ? work.done : work.done.map((each) => withdrawn(each, refusal));
  const all =
    isCut && refusal !== undefined
      ? [...done, attempt(work, 'FAILURE', undefined, { reason: reason(refusal) }, {})]
      : done;
  return {
    expanded: work.expanded,
    actions: all.map(({ action }) => action),
    outputs: refusal === undefined || partial !== undefined ? outputsOf({ ...work, done }) : {},
    operations: all.map(({ evidence }) => evidence),
    spent: { symbols: symbols.size, sections: sections.size, bytes, expands },
  };
}

export function reason({ class: kind, code, step }: Refusal): NonNullable<Evidence['reason']> {
  return { class: kind, code, ...(step === undefined ? {} : { step }) };
}
