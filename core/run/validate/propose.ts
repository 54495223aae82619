import { checkArguments, holding, refusedIn, type SchemaVerdict } from '../../capability/check.ts';
import {
  handlesIn,
  holds,
  isReading,
  ownArgs,
  type PlacedHandle,
  wideArgs,
  withValues,
} from '../../capability/hold.ts';
import { releaseCount } from '../../capability/policy.ts';
import { type Bound, bind, isSecret, type Registry } from '../../capability/registry.ts';
import { type ReleasedCall, releaseBy, releasingGrants } from '../../capability/release.ts';
import { CONTENT_READ, CONTENT_WRITE } from '../../content/built-in.ts';
import { toolOf } from '../../content/symbols.ts';
import { refuse } from '../../errors.ts';
import { sha256Hex } from '../../hash.ts';
import { canonicalText } from '../../json/canonical.ts';
import { decode } from '../../json/decode.ts';
import { decodeUtf8, encodeText } from '../../json/utf8.ts';
import type { JsonValue } from '../../json/value.ts';
import { parseJson } from '../../ledger/line.ts';
import { unsalted } from '../../ledger/payload-ref.ts';
import { allNamed, DECODE_LIMITS, limitsFor } from '../../limits.ts';
import type { Outcome, Refusal } from '../../outcome.ts';
import { type Read, read } from '../../protocol/parse.ts';
import type { CatalyticMessage } from '../../protocol/proposal.ts';
import { decide, decideNext } from '../authorize/decide.ts';
import { personsStep, readPersons } from '../authorize/instead.ts';
import { commit, commitLast } from '../commit/commit.ts';
import * as draft from '../commit/records.ts';
import type { Payload } from '../effect.ts';
import type { ResolvedSymbol, RunEvent } from '../event.ts';
import { heldStep, heldWork, ownHandles, readingOf, resolvedPayload, withBits } from '../held.ts';
import { newStep } from '../new-step.ts';
import type { OpenStep, Plan, Work } from '../open-step.ts';
import { argsPayload } from '../payload.ts';
import type { RunState, RunStatus } from '../state.ts';
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
  const open = newStep(state.facts, event, beginsSecret(state, outcome));
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
      const misplaced = state.facts.holding ? misplacedHandle(proposal.message) : undefined;
      if (misplaced !== undefined) return reject(counted, open, misplaced);
      const begun = openWork(state, proposal.message);
      return begun.ok ? resolveSymbols(counted, open, begun.value) : reject(counted, open, begun.refusal);
    }
  }
}

/**
 * Begins the step of a call that a person has put in the place of the last one. It passes the gates of a model's proposal.
 * In the place of a call with handles it is held as that one was.
 */
export function beginReplacement({ replacement, waiting: _, ...before }: RunState): Transition {
  if (replacement === undefined) return stay(before);
  const state = enter({ ...before, steps: replacement.of + 1, failures: 0 }, { phase: 'INPUT_RECEIVED' });
  const open = { ...personsStep(state.facts, replacement, replacement.now), replaces: replacement };
  const outcome = readPersons(state.facts, replacement.text);
  if (!outcome.ok) return reject(state, open, outcome.refusal);
  if (outcome.value.kind !== 'call') return stay(state);
  const { call: bound } = outcome.value;
  const { handles } = replacement;
  if (handles.length === 0) return askSchemas(state, open, bound);
  const args = argsPayload(open, undefined, canonicalText(bound.call.args));
  const accepted = judged(state, open, { kind: 'call', capability: bound.capability, args: args.ref }, [args]);
  return askSchemas(state, heldStep(state, accepted, bound.capability, handles), bound);
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
function reject(state: RunState, { work: _, ...open }: OpenStep, refusal: Refusal): Transition {
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
  // the grants of a call that reads judge its handle
  const judging: SchemaChecks = isReading(capability) ? checkCall(state, bound) : checkWritten(state, bound);
  const { here, outside: schemas } = judging;
  const waiting = { waiting: 'schemas', open, bound, argsText, here, handles: handles.value } as const;
  const validating = enter(state, { phase: 'PROTOCOL_VALIDATING', ...waiting });
  if (schemas.length === 0) return judge(validating, open, bound, argsText, here, handles.value);
  const { result } = capability.schemas;
  const later = result === undefined || state.facts.precompiled.has(result) ? [] : [result];
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
  const [wide, own] = [wideArgs(bound.capability).hash, ownArgs(state.facts, bound.capability).hash];
  const said = besideHandles(results.get(wide) ?? { failed: 'lost' }, results.get(own));
  const checked = checkArguments(bound, refusedIn(results) ?? said);
  if (!checked.ok) return reject(state, open, checked.refusal);
  const unknown = handles.find(({ handle }) => !state.held.has(handle));
  if (unknown !== undefined) return reject(state, open, unknownHandle(unknown));
  const argsText = canonicalText(bound.call.args);
  const args = argsPayload(open, open.work?.plans.length, argsText);
  const call: Plan = {
    validated: checked.value,
    call: { args, argsText, constraintResults: isReading(bound.capability) ? holding(results) : new Map() },
    handles,
  };
  return open.work === undefined ? recall(state, open, handles, call) : planned(state, open, open.work, call);
}

/** Checks arguments as they are written, also against the schema for their values: it says best what is wrong with them. */
function checkWritten({ facts }: RunState, { call, capability }: Bound): SchemaChecks {
  const [wide, own] = [wideArgs(capability).hash, ownArgs(facts, capability).hash];
  const check = facts.precompiled.get(own);
  return check === undefined
    ? { here: new Map(), outside: [wide, own] }
    : { here: new Map([[own, { issues: check(call.args) }]]), outside: [wide] };
}

/** What is wrong with arguments beside their handles: what both schemas say, and not that a value is no handle. */
function besideHandles(wide: SchemaVerdict, own: SchemaVerdict | undefined): SchemaVerdict {
  if (!('issues' in wide) || own === undefined || !('issues' in own)) return wide;
  const known = new Set(own.issues.map((issue) => canonicalText({ ...issue })));
  const issues = wide.issues.filter((issue) => known.has(canonicalText({ ...issue })));
  return issues.length > 0 ? { issues } : wide;
}

function recall(state: RunState, open: OpenStep, handles: readonly PlacedHandle[], call?: Plan): Transition {
  const refs = handles.flatMap(({ handle }) => state.held.get(handle)?.ref ?? []);
  const at: RunStatus = { phase: 'PROTOCOL_VALIDATING', waiting: 'values', open, handles, ...(call && { call }) };
  return [enter(state, at), [{ type: 'recall', step: open.step, refs }]];
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
  const { handles } = at;
  const found = recalled(state, handles, bytes);
  const missing = handles.find(({ handle }) => !found.has(handle));
  if (missing !== undefined) return reject(state, at.open, unknownHandle(missing));
  const { work } = at.open;
  const plan = at.call ?? work?.plans.find(({ validated }) => isReading(validated.capability));
  const accepted = at.call === undefined ? acceptedWork(state, at.open) : acceptedCall(state, at.open, at.call);
  if (plan !== undefined && isReading(plan.validated.capability)) return askToRead(state, accepted, plan, bytes);
  if (work !== undefined) return workValuesGiven(state, accepted, work, found);
  return plan === undefined
    ? stay(state)
    : (askBits(state, accepted, plan, bytes) ?? placeValues(state, accepted, plan, found));
}

/** Checks the call with the values in the places of its handles. */
function placeValues(
  state: RunState,
  accepted: OpenStep,
  plan: Plan,
  found: Values,
  release?: ReleasedCall,
): Transition {
  const { validated: bound, call, handles = [] } = plan;
  const open = heldStep(state, accepted, bound.capability, ownHandles(plan), release);
  const resolved = resolve(bound, handles, found);
  if (!resolved.ok) return refuseHeld(state, open, bound, resolved.refusal, call.args);
  return askSchemas(state, open, resolved.value);
}

/**
 * Asks the grants of a release for its bits, before anything follows from its values or from the world; undefined for a call
 * that no live grant releases.
 */
function askBits(
  state: RunState,
  open: OpenStep,
  call: Plan,
  values?: ReadonlyMap<string, Uint8Array>,
): Transition | undefined {
  if (state.facts.holding !== true) return undefined;
  const releasing = releasingGrants({ ...state, now: open.now }, call.validated.capability);
  if (releasing === undefined) return undefined;
  const { bits, grants: asked } = releasing;
  const grants = asked.map((grant) => ({ id: grant.id, count: releaseCount(grant), limit: grant.release?.bits ?? 0 }));
  const waiting = { waiting: 'bits', open, call, asked, bits, ...(values && { values }) } as const;
  return [
    enter(state, { phase: 'PROTOCOL_VALIDATING', ...waiting }),
    [{ type: 'charge', step: open.step, bits, grants }],
  ];
}

/**
 * The bits are charged: the call is a release, whatever comes of it. Where no grant has them left it is decided as without a
 * release, and holds.
 */
export function charged(
  before: RunState,
  { open: accepted, call, asked, bits, values }: Extract<RunStatus, { waiting: 'bits' }>,
  said: ReadonlyMap<string, number>,
): Transition {
  const known = new Map(
    asked.map(({ id }) => [id, Math.max(said.get(id) ?? 0, before.released.get(id)?.all ?? 0)] as const),
  );
  const release = releaseBy(asked, bits, known);
  const charges = { bits, grants: [...known].map(([grant, sum]) => ({ grant, before: sum })) };
  const state = withBits(before, release, charges);
  const open = { ...accepted, charges };
  if (values !== undefined) return placeValues(state, open, call, recalled(state, call.handles ?? [], values), release);
  const { validated } = call;
  return decide(state, release ? heldStep(state, open, validated.capability, [], release) : open, validated, call.call);
}

function acceptedCall(state: RunState, open: OpenStep, { validated, call: { args } }: Plan): OpenStep {
  return judged(state, open, { kind: 'call', capability: validated.capability, args: args.ref }, [args]);
}

/** Puts the values into every operation with handles. From here on the whole message is one held outcome. */
function workValuesGiven(state: RunState, accepted: OpenStep, work: Work, found: Values): Transition {
  const open = heldWork(state, accepted, work, 0, 'handles');
  const unchecked = new Map<number, Bound>();
  for (const [operation, { validated, call, handles }] of work.plans.entries()) {
    if (handles === undefined) continue;
    const resolved = resolve(validated, handles, found);
    if (!resolved.ok) return refuseHeld(state, open, validated, resolved.refusal, call.args);
    unchecked.set(operation, resolved.value);
  }
  return checkNext(state, open, { ...work, unchecked });
}

/** Has the next call with values checked; behind the last, each operation is decided. */
function checkNext(state: RunState, open: OpenStep, work: Work): Transition {
  const [first] = work.unchecked ?? [];
  const next = { ...open, work };
  return first === undefined ? decideNext(state, next) : askSchemas(state, next, first[1]);
}

/** Decides a call that reads a held outcome. The person is shown what would be read, and nothing of it is told before. */
function askToRead(
  state: RunState,
  accepted: OpenStep,
  plan: Plan,
  bytes: ReadonlyMap<string, Uint8Array>,
): Transition {
  const read = readingOf(state, plan, bytes);
  const open = { ...accepted, reading: read.outcome };
  const call = { ...plan.call, argsText: read.argsText };
  const { work } = open;
  if (work === undefined) return decide(state, open, plan.validated, call);
  return decideNext(state, { ...open, work: { ...work, plans: work.plans.map((each) => ({ ...each, call })) } });
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
  const args = withValues(
    call.args,
    ownHandles({ validated: bound, handles }),
    (handle) => values.get(handle),
    bytesIn,
  );
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
    const [operation] = open.work?.unchecked?.keys() ?? [];
    const args = resolvedPayload(open, operation, argsText);
    if (!checked.ok) return refuseHeld(state, open, bound, checked.refusal, args);
    const call = { args, argsText, constraintResults: holding(results) };
    if (open.work === undefined || operation === undefined) return decide(state, open, checked.value, call);
    return checkNext(state, open, withCall(open.work, operation, { validated: checked.value, call }));
  }
  if (!checked.ok && open.work !== undefined) return reject(state, open, checked.refusal);
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
  const call = { args, argsText, constraintResults: holding(results) };
  return askBits(state, accepted, { validated: checked.value, call }) ?? decide(state, accepted, checked.value, call);
}

/** The message with the checked call of this operation in the place of the call as it was written. */
function withCall({ unchecked, ...work }: Work, operation: number, call: Plan): Work {
  const left = new Map(unchecked);
  left.delete(operation);
  const plans = work.plans.map((plan, nth) => (nth === operation ? { ...plan, ...call } : plan));
  return { ...work, plans, unchecked: left };
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
  if (!targets.ok) return reject(state, open, targets.refusal);
  if (message.ops.length === 0) return complete(state, withoutWork(open), 'work', message.intent);
  return planNext(state, open, { ...work, ...targets.value, nonce: open.nonce });
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
  if (!named.ok) return reject(state, open, named.refusal);
  const args = `/ops/${index}/params${operation.type === 'EXECUTE' ? '/args' : ''}`;
  const call = { kind: 'call', ...named.value, at: { name: `/ops/${index}/target`, args } } as const;
  const bound = bind(call, state.facts.registry);
  if (!bound.ok) return reject(state, open, bound.refusal);
  return state.facts.holding ? readHandles(state, open, bound.value) : askSchemas(state, open, bound.value);
}

function planned(state: RunState, open: OpenStep, work: Work, plan: Plan): Transition {
  return planNext(state, open, { ...work, plans: [...work.plans, plan] });
}

/**
 * Accepts the message. The verdict names the call of each operation; then each is authorized. Values of handles are
 * requested before: a value that was erased is refused in the open.
 */
function accept(state: RunState, open: OpenStep, work: Work): Transition {
  const { plans } = work;
  const misplaced = state.facts.holding ? misplacedOperation(state, work) : undefined;
  if (misplaced !== undefined) return reject(state, open, misplaced);
  const handles = plans.flatMap((plan) => plan.handles ?? []);
  return handles.length > 0 ? recall(state, open, handles) : decideNext(state, acceptedWork(state, open));
}

/**
 * The refusal of a message that would tell what is held. A WRITE beside an operation that may hold is committed or not by
 * an outcome that is held, and every later READ would tell. A read on purpose is told as a whole.
 */
function misplacedOperation(state: RunState, { plans, message }: Work): Refusal | undefined {
  const isWrite = (nth: number) => message.ops[nth]?.type === 'WRITE';
  const writes = plans.findIndex((_, nth) => isWrite(nth));
  const held = plans.findIndex(
    ({ validated: { capability }, handles }, nth) =>
      !isWrite(nth) && holds(state, { capability, hasHandles: handles !== undefined }),
  );
  const place = (nth: number) => ({ step: 'arguments', pointer: `/ops/${nth}` }) as const;
  if (writes >= 0 && held >= 0) {
    const reason = `a WRITE is not sent with an operation that may hold, as operation ${held} may`;
    return refuse('held_place', { reason }, place(writes)).refusal;
  }
  const reads = plans.findIndex(({ validated }) => isReading(validated.capability));
  if (reads < 0 || plans.length === 1) return undefined;
  return refuse('held_place', { reason: 'held.read is the only operation of its message' }, place(reads)).refusal;
}

/** The refusal of a message with a handle outside of the `args` of an EXECUTE. */
function misplacedHandle({ ops }: CatalyticMessage): Refusal | undefined {
  for (const [nth, { type, params }] of ops.entries()) {
    const { args: _, ...others } = params;
    const found = handlesIn(type === 'EXECUTE' ? others : params, `/ops/${nth}/params`);
    const pointer = found.ok ? found.value[0]?.pointer : found.refusal.pointer;
    if (pointer === undefined) continue;
    const reason = 'a handle stands in the args of an EXECUTE, and nowhere else in a message';
    return refuse('held_place', { reason }, { step: 'arguments', pointer }).refusal;
  }
  return undefined;
}

function acceptedWork(state: RunState, open: OpenStep): OpenStep {
  const { plans = [], message } = open.work ?? {};
  const operations = plans.map(({ validated, call }, index) => {
    const { type = 'READ', target = '' } = message?.ops[index] ?? {};
    const { hash, manifest } = validated.capability;
    return { type, target, capability: manifest.name, capability_hash: hash, args: call.args.ref };
  });
  const args = plans.map(({ call }) => call.args);
  return judged(state, open, { kind: 'work', operations }, args);
}

/**
 * Whether a proposal begins a secret step: it calls a capability that marks its arguments or its result as secret,
 * alone or as an operation of a message. Rejected arguments are secret, too. If a run has a capability of this kind, a
 * proposal with undecodable bytes or an unknown name may have been meant for it, and is also secret.
 */
function beginsSecret(state: RunState, read: Outcome<Read>): boolean {
  const { registry } = state.facts;
  if (read.ok && read.value.kind === 'call' && mayHold(state, read.value.call)) return true;
  if (read.ok && read.value.kind === 'work' && workMayHold(state, read.value.message)) return true;
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

/** True for a message with an operation that holds under any grant. */
function workMayHold(state: RunState, { ops }: CatalyticMessage): boolean {
  const { holding, registry } = state.facts;
  if (holding !== true) return false;
  return ops.some(({ type, target, params }) => {
    const name = type === 'EXECUTE' ? (toolOf(target) ?? '') : OPERATIONS[type];
    const capability = registry.capabilities.get(name);
    if (capability === undefined) return false;
    const handles = handlesIn(params);
    return holds(state, { capability, hasHandles: false }) || !handles.ok || handles.value.length > 0;
  });
}

const OPERATIONS = { READ: CONTENT_READ.manifest.name, WRITE: CONTENT_WRITE.manifest.name } as const;

function isSecretOrUnknown({ capabilities }: Registry, target: string): boolean {
  const capability = capabilities.get(toolOf(target) ?? '');
  return capability === undefined || isSecret(capability);
}
