import { authorizedBefore } from '../../capability/authorize.ts';
import { chargedBefore } from '../../capability/charge.ts';
import { type Checked, checkArguments, holding } from '../../capability/check.ts';
import type { Grant } from '../../capability/grant.ts';
import { type Bound, bind } from '../../capability/registry.ts';
import { decodeUtf8 } from '../../json/utf8.ts';
import { parseJson } from '../../ledger/line.ts';
import type { PayloadRef } from '../../ledger/payload-ref.ts';
import { unsalted } from '../../ledger/salt.ts';
import type { Message } from '../../protocol/proposal.ts';
import type { OpenStep, Permit, Plan, Work } from '../open-step.ts';
import { argsPayload } from '../payload.ts';
import type { RunState } from '../state.ts';
import { readResolution } from '../validate/resolution.ts';
import { callOf, messageNonce, openWork, targetsOf } from '../validate/work.ts';
import type { FindPayload } from './facts.ts';
import type { Unfinished } from './restore.ts';

/** What has to be checked again before a call that a person was asked about may be put to them once more. */
export interface Recheck {
  readonly bound: Bound;
  readonly argsText: string;
  readonly schemas: readonly string[];
}

/** With what its schemas say of it now. */
export interface Rechecked {
  readonly check: Recheck;
  readonly results: ReadonlyMap<string, Checked>;
}

/**
 * A message of which a person was asked about an operation: none of them has run. It is judged again on what its
 * symbols stood for then; whether the content is still that, each operation finds out when it runs, by its hash.
 * Undefined where that is not known any more, or an operation has begun: what came of those is told by no record
 * before the receipt, so they are closed and never run twice.
 */
export function workAgain(
  state: RunState,
  message: Message,
  unfinished: Unfinished,
  find: FindPayload,
): Work | undefined {
  const { verdict, intent, powers, parked, asked, permitted = [] } = unfinished;
  if (verdict?.kind !== 'work' || intent !== undefined || powers !== undefined || parked !== undefined)
    return undefined;
  const text = verdict.resolved === undefined ? '[]' : textOf(verdict.resolved, find);
  const found = readResolution(text === undefined ? undefined : parseJson(text));
  const begun = openWork(state, message);
  if (found === undefined || !begun.ok) return undefined;
  const targets = targetsOf(state, message, found);
  const nonce = messageNonce(asked?.nonce ?? '');
  return targets.ok && permitted.length < message.ops.length
    ? { ...begun.value, targets: targets.value, nonce }
    : undefined;
}

function textOf(ref: PayloadRef, find: FindPayload): string | undefined {
  return decodeUtf8(unsalted(ref, find(ref) ?? new Uint8Array()));
}

/** Each of its operations as a call of the registry; undefined where one is none any more. */
export function callsOf(state: RunState, work: Work): readonly Bound[] | undefined {
  const calls = work.message.ops.map((_, index) => {
    const named = callOf(state, work, index);
    if (!named.ok) return undefined;
    const at = { name: `/ops/${index}/target`, args: `/ops/${index}/params` };
    const bound = bind({ kind: 'call', ...named.value, at }, state.facts.registry);
    return bound.ok ? bound.value : undefined;
  });
  const all = calls.flatMap((call) => call ?? []);
  return all.length === calls.length ? all : undefined;
}

/** Checked again, and permitted as far as it was; undefined where the records do not fit the message. */
export function planAgain(
  state: RunState,
  open: OpenStep,
  work: Work,
  unfinished: Unfinished,
  rechecked: readonly Rechecked[],
): Work | undefined {
  const { permitted = [], asked } = unfinished;
  const plans = rechecked.flatMap((each, index) => planOf(open, each, index));
  const permits = permitted.flatMap((decision, index) => {
    const [plan, grant] = [plans[index], state.policy.grants.find(({ id }) => id === decision.grant)];
    return plan === undefined || grant === undefined || !isOf(plan, decision) ? [] : [permit(plan, grant)];
  });
  const next = plans[permits.length];
  const fits = plans.length === rechecked.length && permits.length === permitted.length;
  const isAsked = next !== undefined && asked !== undefined && isOf(next, { ...asked, args_hash: asked.args.sha256 });
  return fits && isAsked ? { ...work, plans, permits } : undefined;
}

function planOf(open: OpenStep, { check: { bound, argsText }, results }: Rechecked, index: number): readonly Plan[] {
  const validated = checkArguments(bound, results.get(bound.capability.schemas.args) ?? { failed: 'lost' });
  if (!validated.ok) return [];
  const args = argsPayload(open, index, argsText);
  return [{ validated: validated.value, call: { args, argsText, holds: holding(results) } }];
}

function permit({ validated, call }: Plan, grant: Grant): Permit {
  return { charged: chargedBefore(authorizedBefore(validated, grant)), call };
}

function isOf(
  { validated, call }: Plan,
  recorded: { readonly capability_hash: string; readonly args_hash: string },
): boolean {
  return validated.capability.hash === recorded.capability_hash && call.args.ref.sha256 === recorded.args_hash;
}
