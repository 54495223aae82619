import { type ApprovalReason, authorize, type Decision } from '../capability/authorize.ts';
import type { Validated } from '../capability/check.ts';
import { isReading } from '../capability/hold.ts';
import { decodeUtf8 } from '../json/utf8.ts';
import { parseJson } from '../ledger/line.ts';
import { unsalted } from '../ledger/payload-ref.ts';
import type { Draft } from '../ledger/record.ts';
import type { Refusal } from '../outcome.ts';
import { decide } from './authorize/decide.ts';
import type { RunEffect } from './effect.ts';
import type { RunEvent } from './event.ts';
import { usedBehindStep } from './held.ts';
import { refusalIn } from './observe.ts';
import type { RunState } from './state.ts';
import { openStep, type Transition } from './step.ts';
import { transition } from './transition.ts';

/** The decision that the gates would make about a call now. */
export interface Preview {
  /** Absent for a call that is refused before the policy is evaluated. */
  readonly decision?: Decision;
  /**
   * The arguments have handles. A decision beside it follows from public facts; everything else about the call depends on
   * held values, and is told to nobody who calls.
   */
  readonly held?: true;
  /** Reason for a question. */
  readonly reason?: ApprovalReason;
  /** The refusal of a call that would not run. */
  readonly refusal?: Refusal;
}

/**
 * Takes a proposal through the gates of a copy of the run: no effect of the copy is performed, no record is written, and
 * no use of a grant is counted. The caller answers each `check` in the effects with `transition`.
 */
export function beginPreview(
  { stopping: _, ...state }: RunState,
  proposed: Omit<Extract<RunEvent, { type: 'proposed' }>, 'type' | 'step'>,
): Transition {
  // a held step that is under way is told nobody, and be it by what it has used so far
  const used = usedBehindStep(state, openStep(state));
  const asked = { ...state, used, at: { phase: 'INPUT_RECEIVED' } } as const;
  return transition(asked, { type: 'proposed', step: state.steps + 1, ...proposed });
}

/** The check that a preview waits for. */
export function checkOf(effects: readonly RunEffect[]): Extract<RunEffect, { type: 'check' }> | undefined {
  return effects.find((effect) => effect.type === 'check');
}

/** Reads the decision of a preview that waits for no check. */
export function previewOf([state, effects]: Transition): Preview {
  const appends = effects.filter((effect) => effect.type === 'append');
  const drafts: readonly Draft[] = [...appends.flatMap((append) => append.drafts), ...(openStep(state)?.drafts ?? [])];
  const decision = drafts.find(({ kind }) => kind === 'decision')?.body as Extract<Draft, { kind: 'decision' }>['body'];
  const reply = drafts.find(({ kind }) => kind === 'observation')?.body as
    | Extract<Draft, { kind: 'observation' }>['body']
    | undefined;
  const payload = appends.flatMap((append) => append.payloads).find(({ ref }) => ref.sha256 === reply?.payload.sha256);
  const refusal = refusalIn(payload && parseJson(decodeUtf8(unsalted(payload.ref, payload.bytes)) ?? ''));
  if (state.at.phase === 'PROTOCOL_VALIDATING' && state.at.waiting === 'values') return previewOfHeld(state, state.at);
  // no bits are charged for a preview
  if (state.at.phase === 'PROTOCOL_VALIDATING' && state.at.waiting === 'bits') return { held: true };
  return {
    ...(decision && { decision: decision.decision }),
    ...(decision?.why && { reason: decision.why }),
    ...(refusal && { refusal }),
  };
}

/** A read on purpose is decided by its handle alone. */
function previewOfHeld(state: RunState, { open, call }: Extract<RunState['at'], { waiting: 'values' }>): Preview {
  if (call === undefined) return { held: true };
  const { validated } = call;
  const said = isReading(validated.capability)
    ? previewOf(decide(state, open, validated, call.call))
    : publicDecision(state, validated, open.now);
  return { ...said, held: true };
}

/**
 * What is decided about a call whatever its values are: a denial, or the guard's question about the context. Each permission
 * counts as if its terms about arguments were met, and no denial does that has such terms.
 */
function publicDecision(state: RunState, validated: Validated, now: number): Preview {
  const { policy, used, labels, facts } = state;
  const { capability } = validated;
  // answers about held values follow from held values
  const known = policy.grants.filter(({ handled }) => handled === undefined);
  const grants = known.filter(({ mode, where, args_hash }) => mode !== 'deny' || (where ?? args_hash) === undefined);
  const holds = new Map(grants.flatMap(({ where_hash }) => (where_hash === undefined ? [] : [[where_hash, true]])));
  const exact = new Set(grants.flatMap(({ args_hash }) => args_hash ?? []));
  const said = authorize(validated, {
    policy: { ...policy, grants },
    registered: facts.registry.capabilities.get(capability.manifest.name) === capability,
    args_hash: '',
    approved: false,
    now,
    used,
    labels,
    holds,
    exact,
  });
  if ('refused' in said) return { decision: said.decision, refusal: said.refused.refusal };
  const isGuard = 'why' in said && (said.why === 'untrusted' || said.why === 'private_and_untrusted');
  return isGuard ? { decision: said.decision, reason: said.why } : {};
}
