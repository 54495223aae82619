import { assert } from '../../assert.ts';
import { checkArguments, holding, refusedIn, type SchemaVerdict } from '../../capability/check.ts';
import { handlesIn, holds, ownArgs, type PlacedHandle, wideArgs, withValues } from '../../capability/hold.ts';
import { type Bound, bind, isSecret, type Registry } from '../../capability/registry.ts';
import { toolOf } from '../../content/symbols.ts';
import { refuse } from '../../errors.ts';
import { sha256Hex, sha256Text } from '../../hash.ts';
import { canonicalText } from '../../json/canonical.ts';
import { decode } from '../../json/decode.ts';
import { decodeUtf8, encodeText } from '../../json/utf8.ts';
import type { JsonValue } from '../../json/value.ts';
import { parseJson } from '../../ledger/line.ts';
import { type PayloadRef, unsalted } from '../../ledger/payload-ref.ts';
import { allNamed, DECODE_LIMITS, limitsFor } from '../../limits.ts';
import type { Outcome, Refusal } from '../../outcome.ts';
import { type Read, read } from '../../protocol/parse.ts';
import { decide, decideNext } from '../authorize/decide.ts';
import { commit, commitLast } from '../commit/commit.ts';
import * as draft from '../commit/records.ts';
import type { Payload } from '../effect.ts';
import type { ResolvedSymbol, RunEvent } from '../event.ts';
import { heldStep } from '../held.ts';
import type { OpenStep, Plan, Work } from '../open-step.ts';
import { argsPayload, proposalPayload, stepPayload, wirePayload } from '../payload.ts';
import type { RunFacts, RunState, RunStatus } from '../state.ts';
import { countTokens, enter, stay, type Transition } from '../step.ts';
import { checkHere, type SchemaChecks } from './check-here.ts';
import { resolutionPayload } from './resolution.ts';
import { callOf, contentSymbols, lookingUp, openWork, targetsOf } from './work.ts';

/**
 * Receives the model's answer, which is bytes of a stranger. FemtoClaw Protocol 10, steps 1 to 4, up to the arguments'
 * schema.
 */
export function receive(state: RunState, event: Extract<RunEvent, { type: 'proposed' }>): Transition {
  const { waiting: _, ...asked } = state;
  const counted = { ...asked, steps: event.step, failures: 0, ...countTokens(state, event.answer ?? {}) };
  const { dialect, registry, limits } = state.facts;
  const { proposalBytes: bytes, ...others } = limitsFor(limits, 'gate');
  allNamed(others);
  const outcome = read(event.bytes, { dialect, registry, limits: { ...DECODE_LIMITS, bytes } });
  // from here on, payloads derived from a secret proposal are salted
  const open = openStep(state.facts, event, beginsSecret(state, outcome));
  if (!outcome.ok) return reject(counted, open, outcome.refusal);
  const proposal = outcome.value;
  switch (proposal.kind) {
    case 'call':
      return state.facts.holding ? readHandles(counted, open, proposal.call) : askSchemas(counted, open, proposal.call);
    case 'say':
      return complete(counted, open, 'say', proposal.content);
    case 'finish':
      return complete(counted, open, 'finish', proposal.message);
    case 'work': {
      const begun = openWork(state, proposal.message);
      return begun.ok ? resolveSymbols(counted, open, begun.value) : reject(counted, open, begun.refusal);
    }
  }
}

function openStep(facts: RunFacts, event: Extract<RunEvent, { type: 'proposed' }>, isSecret: boolean): OpenStep {
  const salted = isSecret ? { salt: saltOf(event) } : {};
  const payload = proposalPayload(event.bytes, facts.limits.proposalBytes, salted);
  const id = { step: event.step, step_id: stepId(facts.run_id, event.step, payload.ref.sha256) };
  const text = decodeUtf8(unsalted(payload.ref, payload.bytes)) ?? '(not UTF-8)';
  const goal = event.goal === undefined ? undefined : stepPayload(salted, 'goal', event.goal);
  const providerData = providerDataIn(event, salted);
  const wire = wireIn(event, facts, salted);
  const open = {
    ...id,
    proposal: payload.ref,
    answer: event.answer ?? {},
    text,
    drafts: [],
    payloads: [
      payload,
      ...(goal ? [goal] : []),
      ...(providerData?.payload ?? []),
      ...(wire && 'bytes' in wire ? [wire] : []),
    ],
    ...(goal && { goal: goal.ref }),
    ...(providerData && { providerData: providerData.told }),
    ...(wire && { wire: wire.ref }),
    ...(event.window !== undefined && { window: event.window }),
    now: event.now,
    nonce: event.nonce,
    ...salted,
  };
  return { ...open, drafts: [draft.proposal(open)] };
}

interface ProviderData {
  readonly told: NonNullable<OpenStep['providerData']>;
  readonly payload?: readonly Payload[];
}

/** A replay has the reference alone, which is enough: nothing is decided by this text. */
function providerDataIn(
  { providerData: data }: Extract<RunEvent, { type: 'proposed' }>,
  salted: { readonly salt?: string },
): ProviderData | undefined {
  if (data === undefined) return undefined;
  if (typeof data !== 'string') return { told: { ref: data } };
  const payload = stepPayload(salted, 'provider data', data);
  return { told: { ref: payload.ref, text: data }, payload: [payload] };
}

/** A replay has the reference alone, as above. */
function wireIn(
  { wire }: Extract<RunEvent, { type: 'proposed' }>,
  { limits }: RunFacts,
  salted: { readonly salt?: string },
): Payload | { readonly ref: PayloadRef } | undefined {
  if (wire === undefined) return undefined;
  return wire instanceof Uint8Array ? wirePayload(wire, limits.proposalBytes, salted) : { ref: wire };
}

function saltOf({ salt }: Extract<RunEvent, { type: 'proposed' }>): string {
  assert(salt !== undefined, 'a proposal to a run with secrets comes with a salt');
  return salt;
}

/** UUID v8 (RFC 9562) of run, index and proposal: a replay gives the same step the same name. */
function stepId(run_id: string, step: number, proposal: string): string {
  const hex = sha256Text(`sallyport/step/1\n${run_id}:${step}:${proposal}`);
  const variant = (8 | (Number.parseInt(hex.charAt(16), 16) & 3)).toString(16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

/** Adds the verdict, and the payloads that it names: a payload without a record must not be written. */
function judged(
  { facts }: RunState,
  open: OpenStep,
  said: Parameters<typeof draft.verdict>[2],
  args: readonly Payload[] = [],
): OpenStep {
  const payloads = [...open.payloads, ...(open.resolved ? [open.resolved] : []), ...args];
  return { ...open, drafts: [...open.drafts, draft.verdict(open, facts, said)], payloads };
}

/** Rejects a proposal at the gate that found the fault. No later gate is consulted, and no call runs. */
function reject(state: RunState, open: OpenStep, refusal: Refusal): Transition {
  return commit(passing(state), judged(state, open, { kind: 'refused', refusal }), { refusal });
}

/**
 * Completes message form: it goes from validation straight to the ledger, is recorded and shown as text, and executes
 * no call.
 */
function complete(state: RunState, open: OpenStep, kind: 'say' | 'finish' | 'work', message: string): Transition {
  return commitLast(passing(state), judged(state, open, { kind }), message);
}

function passing(state: RunState): RunState {
  return { ...state, phasesEntered: [...state.phasesEntered, 'PROTOCOL_VALIDATING'] };
}

/**
 * Begins step 5 for a call of a run that can hold. Arguments with handles are checked twice: as they are written, by the
 * schema in which every place may be a handle, and with their values in `valuesGiven`.
 */
function readHandles(state: RunState, open: OpenStep, bound: Bound): Transition {
  const { call, capability } = bound;
  const handles = handlesIn(call.args, call.at.args);
  if (!handles.ok) return reject(state, open, handles.refusal);
  if (handles.value.length === 0) return askSchemas(state, open, bound);
  const argsText = canonicalText(call.args);
  const waiting = { waiting: 'schemas', open, bound, argsText, here: new Map(), handles: handles.value } as const;
  const validating = enter(state, { phase: 'PROTOCOL_VALIDATING', ...waiting });
  const schemas = [wideArgs(capability).hash];
  const later = [ownArgs(state.facts, capability).hash, capability.schemas.result].flatMap((hash) =>
    hash === undefined || state.facts.precompiled.has(hash) ? [] : hash,
  );
  return [validating, [{ type: 'check', step: open.step, schemas, text: argsText, later }]];
}

/** The arguments as they are written are good: requests the values. A handle of no step is refused in the open. */
function askValues(
  state: RunState,
  open: OpenStep,
  bound: Bound,
  handles: readonly PlacedHandle[],
  results: ReadonlyMap<string, SchemaVerdict>,
): Transition {
  const said = results.get(wideArgs(bound.capability).hash) ?? { failed: 'lost' };
  const checked = checkArguments(bound, refusedIn(results) ?? said);
  if (!checked.ok) return reject(state, open, checked.refusal);
  const unknown = handles.find(({ handle }) => !state.held.has(handle));
  if (unknown !== undefined) return reject(state, open, unknownHandle(unknown));
  const refs = handles.flatMap(({ handle }) => state.held.get(handle)?.ref ?? []);
  const waiting = enter(state, { phase: 'PROTOCOL_VALIDATING', waiting: 'values', open, bound, handles });
  return [waiting, [{ type: 'recall', step: open.step, refs }]];
}

function unknownHandle({ handle, pointer }: PlacedHandle): Refusal {
  return refuse('held_unknown', { handle }, { step: 'arguments', pointer }).refusal;
}

/**
 * Puts the values in the places of their handles. A value that was erased is refused in the open, like a handle of no
 * step. From here on the outcome is held: whether the arguments fit, what is decided about them, and what they lead to.
 */
export function valuesGiven(
  state: RunState,
  at: Extract<RunStatus, { waiting: 'values' }>,
  bytes: ReadonlyMap<string, Uint8Array>,
): Transition {
  const { bound, handles } = at;
  const found = recalled(state, handles, bytes);
  const missing = handles.find(({ handle }) => !found.has(handle));
  if (missing !== undefined) return reject(state, at.open, unknownHandle(missing));
  const written = argsPayload(at.open, undefined, canonicalText(bound.call.args));
  const accepted = judged(state, at.open, { kind: 'call', capability: bound.capability, args: written.ref }, [written]);
  const open = heldStep(state, accepted, bound.capability, own(handles, bound));
  const resolved = resolve(bound, handles, found);
  if (!resolved.ok) return refuseHeld(state, open, bound, resolved.refusal, written);
  return askSchemas(state, open, resolved.value);
}

/** The handles with their places in the arguments, instead of in the message. */
function own(handles: readonly PlacedHandle[], { call }: Bound): readonly PlacedHandle[] {
  return handles.map((each) => ({ ...each, pointer: each.pointer.slice(call.at.args.length) }));
}

type Values = ReadonlyMap<string, { readonly value: JsonValue } | undefined>;

/** The values behind the handles, and undefined for an outcome without a value; a handle whose bytes are gone is absent. */
export function recalled(
  { held }: Pick<RunState, 'held'>,
  handles: readonly PlacedHandle[],
  bytes: ReadonlyMap<string, Uint8Array>,
): Values {
  const found = new Map<string, { readonly value: JsonValue } | undefined>();
  for (const { handle } of handles) {
    const known = held.get(handle);
    const stored = known && bytes.get(known.ref.sha256);
    if (found.has(handle) || known === undefined || stored === undefined) continue;
    if (sha256Hex(stored) !== known.ref.sha256) continue;
    const text = decodeUtf8(unsalted(known.ref, stored)) ?? '';
    const value = known.ok ? parseJson(text) : undefined;
    found.set(handle, value === undefined ? undefined : { value });
  }
  return found;
}

/** The call with its values, in the limits of a proposal's depth and of the capability's size. */
export function resolve(bound: Bound, handles: readonly PlacedHandle[], values: Values): Outcome<Bound> {
  const { call, capability } = bound;
  const { bytesIn } = capability.manifest.limits;
  const args = withValues(call.args, own(handles, bound), (handle) => values.get(handle), bytesIn);
  if (!args.ok) return args;
  const whole = decode(encodeText(canonicalText(args.value)), { ...DECODE_LIMITS, bytes: Number.MAX_SAFE_INTEGER });
  if (!whole.ok) return { ok: false, refusal: { ...whole.refusal, step: 'authorize' } };
  return { ok: true, value: { ...bound, call: { ...call, args: args.value } } };
}

/** Ends a call whose values do not fit. It is the outcome of the handle, as a denial is. */
function refuseHeld(state: RunState, open: OpenStep, bound: Bound, refusal: Refusal, args: Payload): Transition {
  const { capability } = bound;
  const refused = { decision: 'DENIED_ARGUMENT_INVALID', refused: { ok: false, refusal } } as const;
  const record = draft.decision(open, state, capability, args.ref.sha256, refused, open.now);
  const closing = { ...open, drafts: [...open.drafts, record] };
  return commit(state, closing, { refusal, capability, args_hash: args.ref.sha256 });
}

/**
 * Begins step 5: precompiled schemas are checked here, the remaining schemas outside, together with the grants'
 * constraints.
 */
function askSchemas(state: RunState, open: OpenStep, bound: Bound): Transition {
  const argsText = canonicalText(bound.call.args);
  const { here, outside: schemas } = checkCall(state, bound);
  const validating = enter(state, { phase: 'PROTOCOL_VALIDATING', waiting: 'schemas', open, bound, argsText, here });
  const { result } = bound.capability.schemas;
  const later = result === undefined || state.facts.precompiled.has(result) ? [] : [result];
  if (schemas.length + later.length === 0) return judge(validating, open, bound, argsText, here);
  return [validating, [{ type: 'check', step: open.step, schemas, text: argsText, later }]];
}

/** Checks a call against its own schema, and the constraints of the grants that might permit it. */
export function checkCall(state: RunState, { call, capability }: Bound): SchemaChecks {
  return checkHere(state, { own: ownArgs(state.facts, capability).hash, subject: capability.hash }, call.args);
}

/** Steps 5 and 6: the schema's result decides the verdict; only then is the policy evaluated. */
export function judge(
  state: RunState,
  open: OpenStep,
  bound: Bound,
  argsText: string,
  results: ReadonlyMap<string, SchemaVerdict>,
  handles?: readonly PlacedHandle[],
): Transition {
  if (handles !== undefined) return askValues(state, open, bound, handles, results);
  const own = results.get(ownArgs(state.facts, bound.capability).hash) ?? { failed: 'lost' };
  // A schema of the capability or of its grants that does not compile refuses the call, like a schema of its arguments.
  const checked = checkArguments(bound, refusedIn(results) ?? own);
  if (open.held !== undefined) {
    const args = stepPayload(open, 'resolved args', argsText);
    if (!checked.ok) return refuseHeld(state, open, bound, checked.refusal, args);
    return decide(state, open, checked.value, { args, argsText, constraintResults: holding(results) });
  }
  if (!checked.ok && open.work !== undefined) return rejectWork(state, open, checked.refusal);
  if (!checked.ok) {
    const { refusal } = checked;
    return commit(state, judged(state, open, { kind: 'refused', refusal }), { refusal });
  }
  const args = argsPayload(open, open.work?.plans.length, argsText);
  if (open.work !== undefined) {
    const call = { args, argsText, constraintResults: holding(results) };
    return planned(state, open, open.work, { validated: checked.value, call });
  }
  const accepted = judged(state, open, { kind: 'call', capability: bound.capability, args: args.ref }, [args]);
  return decide(state, accepted, checked.value, { args, argsText, constraintResults: holding(results) });
}

/** Requests the targets of a message's symbols. */
function resolveSymbols(state: RunState, open: OpenStep, work: Work): Transition {
  const symbols = contentSymbols(state, work.message);
  const begun = { ...lookingUp(state, open, work.message), work };
  const resolving = enter(state, { phase: 'PROTOCOL_VALIDATING', waiting: 'symbols', open: begun });
  if (symbols.length === 0) return plan(resolving, begun, work, new Map());
  return [resolving, [{ type: 'resolve', step: open.step, symbols }]];
}

/** Binds each operation to a call, with its resolved symbols, and validates it. */
export function resolved(state: RunState, before: OpenStep, found: ReadonlyMap<string, ResolvedSymbol>): Transition {
  const { work } = before;
  if (work === undefined) return stay(state);
  const resolution = resolutionPayload(before, found);
  return plan(state, resolution ? { ...before, resolved: resolution } : before, work, found);
}

function plan(state: RunState, open: OpenStep, work: Work, found: ReadonlyMap<string, ResolvedSymbol>): Transition {
  const { message } = work;
  const targets = targetsOf(state, message, found);
  if (!targets.ok) return rejectWork(state, open, targets.refusal);
  if (message.ops.length === 0) return complete(state, withoutWork(open), 'work', message.intent);
  return planNext(state, open, { ...work, ...targets.value, nonce: open.nonce });
}

/** Rejects a message before any operation was attempted: its receipt is that of a refused proposal. */
function rejectWork(state: RunState, open: OpenStep, refusal: Refusal): Transition {
  return reject(state, withoutWork(open), refusal);
}

function withoutWork({ work: _, ...open }: OpenStep): OpenStep {
  return open;
}

/** Has the next operation's arguments checked; after the last operation the verdict is given. */
function planNext(state: RunState, before: OpenStep, work: Work): Transition {
  const open = { ...before, work };
  const index = work.plans.length;
  const operation = work.message.ops[index];
  if (operation === undefined) return accept(state, open, work);
  const named = callOf(state, work, index);
  if (!named.ok) return rejectWork(state, open, named.refusal);
  const args = `/ops/${index}/params${operation.type === 'EXECUTE' ? '/args' : ''}`;
  const call = { kind: 'call', ...named.value, at: { name: `/ops/${index}/target`, args } } as const;
  const bound = bind(call, state.facts.registry);
  return bound.ok ? askSchemas(state, open, bound.value) : rejectWork(state, open, bound.refusal);
}

function planned(state: RunState, open: OpenStep, work: Work, plan: Plan): Transition {
  return planNext(state, open, { ...work, plans: [...work.plans, plan] });
}

/** Accepts the message. The verdict names the call of each operation; then each is authorized. */
function accept(state: RunState, open: OpenStep, { plans, message }: Work): Transition {
  const operations = plans.map(({ validated, call }, index) => {
    const { type = 'READ', target = '' } = message.ops[index] ?? {};
    const { hash, manifest } = validated.capability;
    return { type, target, capability: manifest.name, capability_hash: hash, args: call.args.ref };
  });
  const args = plans.map(({ call }) => call.args);
  return decideNext(state, judged(state, open, { kind: 'work', operations }, args));
}

/**
 * Whether a proposal begins a secret step: it calls a capability that marks its arguments or its result as secret,
 * alone or as an operation of a message. Rejected arguments are secret, too. If a run has a capability of this kind, a
 * proposal with undecodable bytes or an unknown name may have been meant for it, and is also secret.
 */
function beginsSecret(state: RunState, read: Outcome<Read>): boolean {
  const { registry } = state.facts;
  if (read.ok && read.value.kind === 'call' && mayHold(state, read.value.call)) return true;
  if (!registry.hasSecrets) return false;
  if (!read.ok) return true;
  if (read.value.kind === 'call') return isSecret(read.value.call.capability);
  if (read.value.kind !== 'work') return false;
  return read.value.message.ops.some(({ type, target }) => type === 'EXECUTE' && isSecretOrUnknown(registry, target));
}

/** True for a call that holds under any grant. */
function mayHold(state: RunState, { call, capability }: Bound): boolean {
  if (state.facts.holding !== true) return false;
  const handles = handlesIn(call.args);
  return holds(state, { capability, hasHandles: !handles.ok || handles.value.length > 0 });
}

function isSecretOrUnknown({ capabilities }: Registry, target: string): boolean {
  const capability = capabilities.get(toolOf(target) ?? '');
  return capability === undefined || isSecret(capability);
}
