import { authorizedBefore, watchedBy } from '../../capability/authorize.ts';
import { chargedBefore } from '../../capability/charge.ts';
import { checkArguments, holding, type SchemaVerdict } from '../../capability/check.ts';
import { givenLabels, handlesIn, isReading, ownArgs, type PlacedHandle } from '../../capability/hold.ts';
import type { Grant } from '../../capability/policy.ts';
import type { PowerAnswer } from '../../capability/power.ts';
import { type Bound, bind } from '../../capability/registry.ts';
import { CONTENT_READ } from '../../content/built-in.ts';
import { refuse } from '../../errors.ts';
import { isHash } from '../../hash.ts';
import { canonicalText } from '../../json/canonical.ts';
import { decodeUtf8 } from '../../json/utf8.ts';
import { isHashes } from '../../ledger/kinds/parts.ts';
import type { PowerDecision } from '../../ledger/kinds/power.ts';
import type { ProgressBody } from '../../ledger/kinds/progress.ts';
import { parseJson } from '../../ledger/line.ts';
import { type PayloadRef, saltIn, unsalted } from '../../ledger/payload-ref.ts';
import { DECODE_LIMITS } from '../../limits.ts';
import { type Outcome, pass, type Refusal } from '../../outcome.ts';
import { read } from '../../protocol/parse.ts';
import type { CatalyticMessage } from '../../protocol/proposal.ts';
import { readPersons } from '../authorize/instead.ts';
import { commit } from '../commit/commit.ts';
import type { StepEnding } from '../commit/records.ts';
import { reason, withdrawn } from '../execute/operation-result.ts';
import { heldMessage, heldStep, readingOf, resolvedPayload } from '../held.ts';
import type { AskedQuestion, OpenStep, Permit, Plan, Work } from '../open-step.ts';
import { argsPayload, shown } from '../payload.ts';
import { NO_POWER_CALLS, type PastPower, type PendingPowerCalls } from '../pending-power-calls.ts';
import { parkedKey } from '../powers/power-calls.ts';
import { counted, isSameUse, NO_POWERS, type PowerLedger, unanswered } from '../powers/power-ledger.ts';
import { workFrom } from '../progress.ts';
import type { RunState } from '../state.ts';
import { enter, type Transition } from '../step.ts';
import { checkCall, recalled, resolve } from '../validate/propose.ts';
import { readResolution } from '../validate/resolution.ts';
import { callOf, lookingUp, messageNonce, openWork, targetsOf } from '../validate/work.ts';
import type { FindPayload } from './facts.ts';
import { dataIn, type RestoredRun, releaseOf, storedBehind, type UnfinishedStep } from './restore.ts';

/** The calls to validate again: a single call, the operations of a message, or an empty list if no question is open. */
export interface RecheckPlan {
  readonly checks: readonly Recheck[];
  readonly work?: Work;
  /** Number of the refs of a message: they count as its symbols. */
  readonly refs?: number;
  /** The operations of a held message that were told, of a message that is closed. */
  readonly told?: Work;
}

/** Reads the proposal again through the same gates: a validation by the old process is not trusted. */
export function recheck({ state, unfinished }: RestoredRun, find: FindPayload): Outcome<RecheckPlan> {
  if (unfinished === undefined) return pass({ checks: [] });
  const { payload } = unfinished.proposal;
  const bytes = find(payload);
  // the salt stands before the proposal, and the remaining payloads of a secret step need it
  const isUnsalted = payload.salt !== undefined && saltIn(payload, bytes) === undefined;
  if (isUnsalted) return refuse('payload_missing', { sha256: payload.sha256 });
  const isWork = unfinished.verdict?.kind === 'work';
  if (!isWork && !isAsked(unfinished) && !isParked(unfinished)) return pass({ checks: [] });
  if (bytes === undefined) return refuse('payload_missing', { sha256: payload.sha256 });
  const outcome = readAgain(state, unfinished.proposal, unsalted(payload, bytes));
  if (!outcome.ok) return outcome;
  const call = (bound: Bound): Recheck | undefined => recheckOf(state, bound, find);
  const proposal = outcome.value;
  if (proposal.kind === 'call') {
    const again = call(proposal.call);
    return pass({ checks: again === undefined ? [] : [again] });
  }
  if (proposal.kind !== 'work') return refuse('facts_altered', { what: 'proposal' });
  const refs = new Set(proposal.message.refs).size;
  const told = toldAgain(state, proposal.message, unfinished, find);
  if (!told.ok) return told;
  const closed = { checks: [], refs, ...(told.value && { told: told.value }) };
  if (!isAsked(unfinished) && !isParked(unfinished)) return pass(closed);
  const work = workAgain(state, proposal.message, unfinished, find);
  if (!work.ok) return work;
  const calls = work.value && callsOf(state, work.value);
  const checks = calls?.flatMap((each) => call(each) ?? []) ?? [];
  // a value that is gone closes its message
  const isWhole = checks.length > 0 && checks.length === calls?.length;
  return pass(isWhole && work.value !== undefined ? { ...closed, checks, work: work.value } : closed);
}

/** The call to check again, with the values of its handles; undefined where one is gone. */
function recheckOf(state: RunState, written: Bound, find: FindPayload): Recheck | undefined {
  const bound = isReading(written.capability) ? written : withValuesAgain(state, written, find);
  if (bound === undefined) return undefined;
  const { here, outside: schemas } = checkCall(state, bound);
  return { bound, argsText: canonicalText(bound.call.args), here, schemas, handles: handlesOf(state, written) };
}

function handlesOf({ facts }: RunState, { call }: Bound): readonly PlacedHandle[] {
  const handles = facts.holding ? handlesIn(call.args, call.at.args) : pass([]);
  return handles.ok ? handles.value : [];
}

/**
 * The operations of a message that were told, as its records hold them: the message was held from a later one on when it
 * was cut off. Undefined for every other message.
 */
function toldAgain(
  state: RunState,
  message: CatalyticMessage,
  unfinished: UnfinishedStep,
  find: FindPayload,
): Outcome<Work | undefined> {
  const from = heldFrom(unfinished);
  if (from === undefined || from === 0) return pass(undefined);
  const begun = openWork(state, message);
  const targets = begun.ok ? targetsOf(state, message, resolutionOf(unfinished, find) ?? new Map()) : begun;
  if (!begun.ok || !targets.ok) return pass(undefined);
  const told = (unfinished.progress ?? []).filter(({ event }) => event === 'operation').slice(0, from);
  const work = workFrom({ ...begun.value, ...targets.value }, told, find);
  return work === undefined ? refuse('payload_missing', { sha256: '' }) : pass({ ...work, kept: [] });
}

/**
 * The first operation of a message that is held, if the message had come to it: its decisions say which operations hold,
 * and the records of the operations before it were written first.
 */
function heldFrom({ verdict, permitted = [], decision, progress = [] }: UnfinishedStep): number | undefined {
  if (decision?.held === 'decision') return 0;
  // an operation runs once all are permitted
  if (permitted.length !== verdict?.operations?.length) return undefined;
  const from = permitted.findIndex(({ held }) => held === 'outcome');
  const settled = progress.filter(({ event }) => event === 'operation').length;
  return from >= 0 && settled >= from ? from : undefined;
}

/** The call with the values of its handles; undefined where one is gone. */
function withValuesAgain(state: RunState, bound: Bound, find: FindPayload): Bound | undefined {
  const handles = handlesOf(state, bound);
  if (handles.length === 0) return bound;
  const values = recalled(state, handles, storedBehind(state, handles, find));
  if (handles.some(({ handle }) => !values.has(handle))) return undefined;
  const resolved = resolve(bound, handles, values);
  return resolved.ok ? resolved.value : undefined;
}

/**
 * Resumes a run. An unanswered question is put again. An unfinished step is closed as `interrupted` and never run
 * again. Between steps the run rests, paused. Each case begins with a record of the resumption. After a completed turn
 * there is no such record: the next task comes next.
 */
export function resume(
  restored: RestoredRun,
  { checks, work, refs, told }: RecheckPlan,
  results: readonly ReadonlyMap<string, SchemaVerdict>[],
  find: FindPayload,
): Transition {
  const { state, unfinished, consent, ended } = restored;
  if (ended !== undefined)
    return [enter({ ...state, ending: ended }, { phase: 'COMPLETED' }), [{ type: 'end', ending: ended }]];
  const rechecked = checks.map((check, index) => ({ check, results: results[index] ?? new Map() }));
  const [first] = rechecked;
  if (first !== undefined && unfinished !== undefined) {
    const open = openAgain(state, unfinished, find);
    const then =
      work === undefined
        ? oneAgain(state, open, unfinished, first, find)
        : messageAgain(state, open, unfinished, planAgain(state, open, work, unfinished, rechecked), find);
    return then ?? interrupt(state, withTold(open, told), unfinished, refs);
  }
  if (unfinished !== undefined)
    return interrupt(state, withTold(openAgain(state, unfinished, find), told), unfinished, refs);
  const next = state.replacement === undefined ? 'idle' : 'replace';
  const then = consent === undefined ? ({ then: next } as const) : ({ then: 'consent', consent } as const);
  return [enter(state, { phase: 'MEMORY_COMMITTING', ...then }), [append('resumed')]];
}

function withTold(open: OpenStep, work: Work | undefined): OpenStep {
  return work === undefined ? open : { ...open, work };
}

/** A person was asked about the call, and has not answered. */
function isAsked({ asked, answered }: UnfinishedStep): boolean {
  return asked !== undefined && answered !== true;
}

/** The call is parked, and the results of its powers are known. */
function isParked({ parked, powers = NO_POWERS }: UnfinishedStep): boolean {
  return parked !== undefined && unanswered(powers).length === 0;
}

/** Continues a parked call, or puts the question about a call again; undefined where neither is possible. */
function oneAgain(
  state: RunState,
  open: OpenStep,
  unfinished: UnfinishedStep,
  { check: { bound, argsText, handles }, results }: RecheckedCall,
  find: FindPayload,
): Transition | undefined {
  const own = results.get(ownArgs(state.facts, bound.capability).hash);
  const validated = checkArguments(bound, own ?? { failed: 'lost' });
  const { asked, decision } = unfinished;
  const { handles: replaced = [] } = open.replaces ?? {};
  const args =
    handles.length + replaced.length > 0 && open.held?.by === 'handles'
      ? resolvedPayload(open, undefined, argsText)
      : argsPayload(open, 0, argsText);
  const call = { args, argsText, constraintResults: holding(results) };
  if (isReading(bound.capability) && validated.ok)
    return readAgainAsked(state, open, unfinished, { validated: validated.value, call, handles }, find);
  if (isParked(unfinished)) {
    const grant = state.policy.grants.find(({ id }) => id === decision?.grant);
    if (!validated.ok || grant === undefined) return undefined;
    const charged = chargedBefore(authorizedBefore(validated.value, grant));
    return continueParked(state, open, unfinished, { charged, call }, find);
  }
  if (!validated.ok) return commit(state, open, { refusal: validated.refusal });
  const question = { validated: validated.value, ...askedAgain(asked, decision) };
  return [enter(state, { phase: 'AUTHORIZATION_EVALUATING', open, call, asked: question }), [append('resumed')]];
}

/** The recorded question. */
function askedAgain(asked: UnfinishedStep['asked'], decision: UnfinishedStep['decision']): AskedQuestion {
  const { why = 'grant', grant } = decision ?? {};
  return { digest: asked?.digest ?? '', why, ...(grant !== undefined && { grant }) };
}

/** Puts the question about a read on purpose again, with what would be read; undefined where that is gone. */
function readAgainAsked(
  state: RunState,
  open: OpenStep,
  { asked, decision }: UnfinishedStep,
  plan: Plan,
  find: FindPayload,
): Transition | undefined {
  const { handles = [] } = plan;
  const bytes = storedBehind(state, handles, find);
  const values = recalled(state, handles, bytes);
  if (!handles.every(({ handle }) => values.has(handle))) return undefined;
  const { outcome, argsText } = readingOf(state, plan, bytes);
  const question = { validated: plan.validated, ...askedAgain(asked, decision) };
  const call = { ...plan.call, argsText };
  const { work } = open;
  const reading: OpenStep = {
    ...open,
    reading: outcome,
    ...(work && { work: { ...work, plans: [{ ...plan, call }] } }),
  };
  return [
    enter(state, { phase: 'AUTHORIZATION_EVALUATING', open: reading, call, asked: question }),
    [append('resumed')],
  ];
}

/**
 * Puts the question about an operation again, with the earlier operations permitted as before, or continues the parked
 * call of an operation, behind those that have settled.
 */
function messageAgain(
  state: RunState,
  step: OpenStep,
  unfinished: UnfinishedStep,
  work: Work | undefined,
  find: FindPayload,
): Transition | undefined {
  if (work === undefined) return undefined;
  const open = { ...step, work };
  const [first] = work.plans;
  if (first !== undefined && isReading(first.validated.capability))
    return readAgainAsked(state, open, unfinished, first, find);
  const permit = work.permits[work.done.length];
  if (isParked(unfinished)) return permit && continueParked(state, open, unfinished, permit, find);
  const plan = work.plans[work.permits.length];
  if (plan === undefined) return undefined;
  const { validated, call } = plan;
  const { asked, decision, permitted = [] } = unfinished;
  const question = { validated, ...askedAgain(asked, decision) };
  // the uses of a message with handles are charged by its receipt; until then each operation counts
  const used =
    step.held?.by === 'handles'
      ? permitted.reduce((before, each) => counted(before, each, state.parents), state.used)
      : state.used;
  return [
    enter({ ...state, used }, { phase: 'AUTHORIZATION_EVALUATING', open, call, asked: question }),
    [append('resumed')],
  ];
}

/**
 * Continues a parked call. Its heap repeats its open questions: recorded answers are given again, a person is asked
 * again, and reads are repeated.
 */
function continueParked(
  state: RunState,
  open: OpenStep,
  { parked, powers = NO_POWERS }: UnfinishedStep,
  { charged, call }: Permit,
  find: FindPayload,
): Transition | undefined {
  const answered = answersOf(powers, find);
  // a question with an erased answer must not be put again
  const whole = answered.size === powers.answered.size;
  const digest = parked && shown(parked.digest, isHash, find);
  const touched = parked && shown(parked.touched ?? [], isHashes, find);
  if (!whole || parked === undefined || digest === undefined || touched === undefined) return undefined;
  const { image_hash, labels } = parked;
  const pendingCalls: PendingPowerCalls = {
    ...NO_POWER_CALLS,
    writes: [{ then: 'unpark', digest, image_hash, touched }],
    answered,
    labels,
    decisions: parked.powers,
    reads: { calls: [], touched, decisions: parked.powers.length },
    parked: true,
    puts: true,
  };
  const at = { phase: 'CAPABILITY_EXECUTING', open, call, charged, waiting: 'call', pendingCalls } as const;
  return [enter(state, at), [append('resumed')]];
}

function answersOf({ issued, answered }: PowerLedger, find: FindPayload): ReadonlyMap<number, PastPower> {
  const past = new Map<number, PastPower>();
  for (const { ticket, power_hash, answer } of answered.values()) {
    const text = decodeUtf8(unsalted(answer, find(answer) ?? NONE));
    if (!text) continue;
    const args_hash = issued.get(ticket)?.args.sha256 ?? '';
    past.set(ticket, { power_hash, args_hash, answer: JSON.parse(text) as PowerAnswer });
  }
  return past;
}

function append(event: 'resumed' | 'interrupted') {
  return { type: 'append', drafts: [{ kind: 'state', body: { event } }], payloads: [], durability: 'strict' } as const;
}

/**
 * Closes the step as `interrupted`: the receipt says that the effect is unknown. What the records tell stands in it; of
 * a message also the first operation that they do not tell, as the one that was under way.
 */
function interrupt(state: RunState, open: OpenStep, unfinished: UnfinishedStep, refs = 0): Transition {
  const { powers = NO_POWERS, parked } = unfinished;
  const lost = unanswered(powers);
  const [issued] = lost;
  const { refusal } =
    issued === undefined
      ? refuse('interrupted', {}, { step: 'execute' })
      : refuse('power_interrupted', { name: issued.power }, { step: 'execute' });
  const cut = { ...open, drafts: [{ kind: 'state', body: { event: 'interrupted' } } as const] };
  const kept = parked && { kept: [{ key: parkedKey(state.facts.run_id) }] };
  const told = recovered(state, unfinished, refusal, refs);
  const [next, effects] = commit(state, cut, { refusal, strict: true, ...kept, ...told });
  return [next, effects.map((effect) => (effect.type === 'append' && issued ? { ...effect, lost } : effect))];
}

/** Receipt members of a step that was cut off, from its records. */
function recovered(
  state: RunState,
  { verdict, intent, decision, parked, isCalling, progress = [], powers = NO_POWERS }: UnfinishedStep,
  refusal: Refusal,
  refs: number,
): StepEnding {
  // these records mean that the call may have started: the receipt lists a failed action
  const hasCalled = powers.issued.size > 0 || parked !== undefined || isCalling === true || progress.length > 0;
  const begun = intent ?? (hasCalled ? decision : undefined);
  if (begun === undefined) return {};
  const settled = progress.flatMap((body) => (body.event === 'operation' ? [body] : []));
  const reads = progress
    .slice(progress.findLastIndex(({ event }) => event === 'operation') + 1)
    .flatMap((body) => (body.event === 'reads' ? [body] : []));
  const { registry } = state.facts;
  const under = verdict?.operations?.[settled.length];
  const running = registry.capabilities.get((under ?? begun).capability);
  const told = {
    powers: decisionsOf(state, powers, parked?.powers ?? [], reads),
    labels: [
      ...(parked?.labels ?? []),
      ...(progress.at(-1)?.labels ?? []),
      ...[...powers.issued.values()].flatMap(({ power_hash }) =>
        running ? givenLabels(state, running, power_hash) : [],
      ),
    ],
  };
  const expanded = [...settled, ...reads].flatMap((body) => body.expanded);
  const given = reads.flatMap((body) => body.given);
  if (verdict?.operations === undefined) {
    const { capability: name, args_hash } = begun;
    const capability = registry.capabilities.get(name);
    const action = { type: 'EXECUTE', target: `@TOOLS/${name}`, status: 'FAILURE', result: {} } as const;
    const step = { actions: [action], expanded, given };
    return { ...told, args_hash, ...(capability && { capability }), recovered: step };
  }
  const own = settled.map(({ action, evidence }) =>
    withdrawn({ action, evidence, told: {}, ...(evidence.reason && { refusal }) }, refusal),
  );
  const failed = under && {
    action: { type: under.type, target: under.target, status: 'FAILURE', result: {} } as const,
    evidence: {
      capability_hash: under.capability_hash,
      args_hash: under.args.sha256,
      reason: reason(refusal),
      ...(given.length > 0 && { expanded: given }),
    },
  };
  const all = [...own, ...(failed ? [failed] : [])];
  return {
    ...told,
    recovered: {
      actions: all.map(({ action }) => action),
      operations: all.map(({ evidence }) => evidence),
      expanded,
      spent: progress.at(-1)?.spent ?? { symbols: refs, sections: 0, bytes: 0, expands: 0 },
      given: [],
      judged: verdict.operations.map(({ capability_hash }) => capability_hash),
    },
  };
}

/** The decisions about the powers of a call, as far as its records tell them. */
function decisionsOf(
  { policy }: RunState,
  { issued }: PowerLedger,
  ofParked: readonly PowerDecision[],
  reads: readonly Extract<ProgressBody, { event: 'reads' }>[],
): readonly PowerDecision[] {
  const uses = [...issued.values()].map(({ ticket, power, power_hash, grant, now }): PowerDecision => {
    const by = policy.grants.find(({ id }) => id === grant);
    return { ticket, power, power_hash, decision: 'AUTHORIZED', grant, ...watchedBy(by), now };
  });
  const all = [...ofParked, ...reads.flatMap(({ powers }) => powers), ...uses];
  const once = all.filter((one, nth) => all.findIndex((other) => isSameUse(one, other)) === nth);
  return once.toSorted((one, other) => one.ticket - other.ticket);
}

function openAgain(state: RunState, unfinished: UnfinishedStep, find: FindPayload): OpenStep {
  const { proposal, verdict, decision, asked, parked, replaces } = unfinished;
  const { step, step_id, payload, usage, finish, provider_data: ref } = proposal;
  const data = dataIn(ref, find);
  const bytes = find(payload) ?? NONE;
  const text = decodeUtf8(unsalted(payload, bytes)) ?? '(not UTF-8)';
  const known = { now: decision?.now ?? 0, nonce: parked?.nonce ?? asked?.nonce ?? '' };
  const salt = saltIn(payload, bytes);
  const answer = { ...(usage && { usage }), ...(finish && { finish }) };
  const place = { step, step_id, proposal: payload, answer, text, drafts: [], payloads: [] };
  const providerData = ref && { ref, ...(data !== undefined && { text: data }) };
  const persons = replaces && { replaces };
  const open = { ...place, ...known, ...(providerData && { providerData }), ...(salt && { salt }), ...persons };
  if (verdict?.kind !== 'work') {
    const { charges } = decision ?? {};
    return heldAgain(state, { ...open, ...(charges && { charges }) }, unfinished, unsalted(payload, bytes));
  }
  // a message whose bytes were erased may have named content
  const message = readAgain(state, proposal, unsalted(payload, bytes));
  return message.ok && message.value.kind === 'work'
    ? heldWorkAgain(state, lookingUp(state, open, message.value.message), message.value.message, unfinished)
    : { ...open, labels: CONTENT_READ.manifest.labels ?? [] };
}

/** The message, held from the operation on that it had come to. */
function heldWorkAgain(
  state: RunState,
  open: OpenStep,
  { ops }: CatalyticMessage,
  unfinished: UnfinishedStep,
): OpenStep {
  const { verdict, decision, progress = [] } = unfinished;
  const from = heldFrom(unfinished);
  if (from === undefined) return open;
  const capabilities = (verdict?.operations ?? []).flatMap(
    ({ capability }) => state.facts.registry.capabilities.get(capability) ?? [],
  );
  const found = ops.map(({ params }) => handlesIn(params));
  const handles = found.flatMap((each) => (each.ok ? each.value : []));
  const last = progress.filter(({ event }) => event === 'operation')[from - 1];
  const before = { labels: last?.labels ?? [], bytes: last?.spent?.bytes ?? 0 };
  const by = decision?.held === 'decision' ? 'handles' : 'outcome';
  return heldMessage(state, open, { by, capabilities, handles, from, ...before });
}

/** The step as its decision tells: held from its intent on, or with handles in its arguments. */
function heldAgain(
  state: RunState,
  open: OpenStep,
  { decision, proposal: recorded }: UnfinishedStep,
  bytes: Uint8Array,
): OpenStep {
  if (decision?.held === undefined) return open;
  const capability = state.facts.registry.capabilities.get(decision.capability);
  if (capability === undefined) return open;
  if (decision.held === 'outcome') return heldStep(state, open, capability);
  if (open.replaces !== undefined) return heldStep(state, open, capability, open.replaces.handles);
  const proposal = readAgain(state, recorded, bytes);
  const call = proposal.ok && proposal.value.kind === 'call' ? proposal.value.call : undefined;
  const handles = call && handlesIn(call.call.args);
  return heldStep(state, open, capability, handles?.ok ? handles.value : [], releaseOf(state, decision));
}

/** Reads a proposal through the same gates as when it came. */
function readAgain(
  { facts: { dialect, registry, limits } }: RunState,
  { by }: Pick<UnfinishedStep['proposal'], 'by'>,
  bytes: Uint8Array,
): ReturnType<typeof read> {
  if (by !== undefined) return readPersons({ registry, limits }, decodeUtf8(bytes) ?? '');
  return read(bytes, { dialect, registry, limits: { ...DECODE_LIMITS, bytes: limits.proposalBytes } });
}

const NONE = new Uint8Array();

/** A call to validate again before its question can be put to a person once more. */
export interface Recheck {
  readonly bound: Bound;
  readonly argsText: string;
  /** Results of the schemas that are checked without a schema realm. */
  readonly here: ReadonlyMap<string, SchemaVerdict>;
  /** The other schemas, checked outside. */
  readonly schemas: readonly string[];
  /** The handles of the arguments as they were written. */
  readonly handles: readonly PlacedHandle[];
}

/** A call with the new results of its schemas. */
interface RecheckedCall {
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
function workAgain(
  state: RunState,
  message: CatalyticMessage,
  unfinished: UnfinishedStep,
  find: FindPayload,
): Outcome<Work | undefined> {
  const { verdict, intent, powers, parked, asked, progress = [], permitted = [] } = unfinished;
  const isBegun = intent !== undefined || powers !== undefined || progress.length > 0;
  if (verdict?.kind !== 'work' || (isBegun && parked === undefined)) return pass(undefined);
  const found = resolutionOf(unfinished, find);
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

/** The targets of a message's symbols, as they were recorded. */
function resolutionOf({ verdict }: UnfinishedStep, find: FindPayload): ReturnType<typeof readResolution> {
  const text = verdict?.resolved === undefined ? '[]' : textOf(verdict.resolved, find);
  return readResolution(text === undefined ? undefined : parseJson(text));
}

function textOf(ref: PayloadRef, find: FindPayload): string | undefined {
  return decodeUtf8(unsalted(ref, find(ref) ?? new Uint8Array()));
}

/** Binds each operation to a call of the registry; undefined if an operation can no longer be bound. */
function callsOf(state: RunState, work: Work): readonly Bound[] | undefined {
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
function planAgain(
  state: RunState,
  open: OpenStep,
  work: Work,
  unfinished: UnfinishedStep,
  rechecked: readonly RecheckedCall[],
): Work | undefined {
  const { permitted = [], asked, parked } = unfinished;
  const plans = rechecked.flatMap((each, index) => planOf(state, open, each, index));
  const permits = permitted.flatMap((decision, index) => {
    const [plan, grant] = [plans[index], state.policy.grants.find(({ id }) => id === decision.grant)];
    if (plan === undefined || grant === undefined || !isOf(plan, decision)) return [];
    return [{ ...permit(plan, grant), ...(decision.held === 'outcome' && { holds: true as const }) }];
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
  { facts }: RunState,
  open: OpenStep,
  { check: { bound, argsText, handles }, results }: RecheckedCall,
  index: number,
): readonly Plan[] {
  const validated = checkArguments(bound, results.get(ownArgs(facts, bound.capability).hash) ?? { failed: 'lost' });
  if (!validated.ok) return [];
  const isResolved = handles.length > 0 && !isReading(bound.capability);
  const args = isResolved ? resolvedPayload(open, index, argsText) : argsPayload(open, index, argsText);
  const call = { args, argsText, constraintResults: holding(results) };
  return [{ validated: validated.value, call, ...(handles.length > 0 && { handles }) }];
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
