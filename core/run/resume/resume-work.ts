import { authorizedBefore } from '../../capability/authorize.ts';
import { chargedBefore } from '../../capability/charge.ts';
import { checkArguments, holding, type SchemaVerdict } from '../../capability/check.ts';
import type { Grant } from '../../capability/policy.ts';
import { type Bound, bind } from '../../capability/registry.ts';
import { refuse } from '../../errors.ts';
import { decodeUtf8 } from '../../json/utf8.ts';
import { parseJson } from '../../ledger/line.ts';
import type { PayloadRef } from '../../ledger/payload-ref.ts';
import { unsalted } from '../../ledger/salt.ts';
import { type Outcome, pass } from '../../outcome.ts';
import type { CatalyticMessage } from '../../protocol/proposal.ts';
import type { OpenStep, Permit, Plan, Work } from '../open-step.ts';
import { argsPayload } from '../payload.ts';
import { workFrom } from '../progress.ts';
import type { RunState } from '../state.ts';
import { readResolution } from '../validate/resolution.ts';
import { callOf, messageNonce, openWork, targetsOf } from '../validate/work.ts';
import type { FindPayload } from './facts.ts';
import type { UnfinishedStep } from './restored-run.ts';

/** A call to validate again before its question can be put to a person once more. */
export interface Recheck {
  readonly bound: Bound;
  readonly argsText: string;
  /** Results of the schemas that are checked without a schema realm. */
  readonly here: ReadonlyMap<string, SchemaVerdict>;
  /** The other schemas, checked outside. */
  readonly schemas: readonly string[];
}

/** A call with the new results of its schemas. */
export interface RecheckedCall {
  readonly check: Recheck;
  readonly results: ReadonlyMap<string, SchemaVerdict>;
}

/**
 * Restores a message that waits for a person: before its first operation, or in a parked call, with the operations that
 * have settled before. The message is judged again on the recorded targets of its symbols; each operation verifies by
 * hash, when it runs, that the content is unchanged. Undefined if the targets are not recorded, and for a message that
 * was under way otherwise: it is closed and never run twice. Refuses with `payload_missing` where what an operation has
 * left is not there.
 */
export function workAgain(
  state: RunState,
  message: CatalyticMessage,
  unfinished: UnfinishedStep,
  find: FindPayload,
): Outcome<Work | undefined> {
  const { verdict, intent, powers, parked, asked, progress = [], permitted = [] } = unfinished;
  const isBegun = intent !== undefined || powers !== undefined || progress.length > 0;
  if (verdict?.kind !== 'work' || (isBegun && parked === undefined)) return pass(undefined);
  const text = verdict.resolved === undefined ? '[]' : textOf(verdict.resolved, find);
  const found = readResolution(text === undefined ? undefined : parseJson(text));
  const begun = openWork(state, message);
  if (found === undefined || !begun.ok) return pass(undefined);
  const targets = targetsOf(state, message, found);
  const nonce = messageNonce(asked?.nonce ?? '');
  const isWhole = permitted.length === message.ops.length;
  if (!targets.ok || isWhole !== (parked !== undefined)) return pass(undefined);
  const work = workFrom({ ...begun.value, ...targets.value, nonce }, progress, find);
  const [first] = progress.flatMap((each) => (each.event === 'operation' ? [each.state] : []));
  return work === undefined ? refuse('payload_missing', { sha256: first?.sha256 ?? '' }) : pass(work);
}

function textOf(ref: PayloadRef, find: FindPayload): string | undefined {
  return decodeUtf8(unsalted(ref, find(ref) ?? new Uint8Array()));
}

/** Binds each operation to a call of the registry; undefined if an operation can no longer be bound. */
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

/** Validates the operations again, with their earlier permits; undefined if the records do not fit the message. */
export function planAgain(
  state: RunState,
  open: OpenStep,
  work: Work,
  unfinished: UnfinishedStep,
  rechecked: readonly RecheckedCall[],
): Work | undefined {
  const { permitted = [], asked, parked } = unfinished;
  const plans = rechecked.flatMap((each, index) => planOf(open, each, index));
  const permits = permitted.flatMap((decision, index) => {
    const [plan, grant] = [plans[index], state.policy.grants.find(({ id }) => id === decision.grant)];
    return plan === undefined || grant === undefined || !isOf(plan, decision) ? [] : [permit(plan, grant)];
  });
  const next = plans[permits.length];
  const fits = plans.length === rechecked.length && permits.length === permitted.length;
  const isAsked =
    next === undefined
      ? parked !== undefined && work.done.length < plans.length
      : asked !== undefined && isOf(next, { ...asked, args_hash: asked.args.sha256 });
  return fits && isAsked ? { ...work, plans, permits } : undefined;
}

function planOf(
  open: OpenStep,
  { check: { bound, argsText }, results }: RecheckedCall,
  index: number,
): readonly Plan[] {
  const validated = checkArguments(bound, results.get(bound.capability.schemas.args) ?? { failed: 'lost' });
  if (!validated.ok) return [];
  const args = argsPayload(open, index, argsText);
  return [{ validated: validated.value, call: { args, argsText, constraintResults: holding(results) } }];
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
