import type { Capability } from '../capability/capability.ts';
import { joined, type Label } from '../capability/guard.ts';
import { handleOf } from '../capability/handle.ts';
import { handlesIn, type ValueOf, withValues } from '../capability/hold.ts';
import type { CallPlace } from '../capability/revert.ts';
import type { UndoReason } from '../errors/run.ts';
import { structureHash } from '../hash.ts';
import { canonicalize, canonicalText } from '../json/canonical.ts';
import { decodeUtf8, encodeText } from '../json/utf8.ts';
import { isObject, type JsonValue } from '../json/value.ts';
import { isPayloadRef } from '../ledger/form.ts';
import type { Evidence, HeldEvidence, OperationEvidence } from '../ledger/kinds/evidence.ts';
import type { PowerDecision } from '../ledger/kinds/power.ts';
import type { CarriedPlace, UndoneCall, UndoneRun } from '../ledger/kinds/run.ts';
import { parseJson } from '../ledger/line.ts';
import type { PayloadRef } from '../ledger/payload-ref.ts';
import type { Action } from '../ledger/receipt.ts';
import type { Bodies, LedgerRecord, RecordKind } from '../ledger/record.ts';
import { groupBySteps } from '../ledger/steps.ts';
import { DECODE_LIMITS } from '../limits.ts';
import { type Outcome, pass } from '../outcome.ts';
import { requestedPower } from '../run/powers/power-text.ts';
import { restorePowers, restoreRegistry } from '../run/resume/facts.ts';

/** Which calls of a run are taken back: one step's, those behind a step that stays, or all. */
export interface UndoRange {
  readonly step?: number;
  readonly back_to?: number;
}

/** A run, and the bytes that its records name, without their salt; undefined after an erasure. */
export interface RunToUndo {
  readonly records: readonly LedgerRecord[];
  find(ref: PayloadRef): Uint8Array | undefined;
}

/** What the program provides now for a definition that a run recorded: a revert, or why there is none. */
export type RevertNow = (
  name: string,
  hash: string,
) => Extract<UndoReason, 'no_revert' | 'changed' | 'gone'> | undefined;

/** A call that can be taken back, with what its `revert` is given. */
export interface PlannedCall extends UndoneCall {
  readonly args: JsonValue;
  readonly result: JsonValue;
}

/** A call that cannot be taken back. */
export interface UndoBarrier extends Pick<UndoneCall, 'step' | 'operation' | 'ticket' | 'capability'> {
  readonly reason: UndoReason;
}

/** What an undo would do. It does nothing where there are barriers. */
export interface UndoPlan {
  /** Newest first. */
  readonly calls: readonly PlannedCall[];
  /** Newest first. */
  readonly barriers: readonly UndoBarrier[];
  /** Calls in the range that were taken back before, with the run that did. */
  readonly before: readonly (Pick<UndoneCall, 'step' | 'capability'> & { readonly run_id: string })[];
  /** Calls with an effect that are later than these and stay. */
  readonly later_calls: number;
  /** Labels of all that the run has read, and of the held values that the reverts are given. */
  readonly labels: readonly Label[];
}

/** Id of the undo number `nth` of a run, counted from 0: of two that begin at once only one gets it. */
export function undoRunId(run_id: string, nth: number): string {
  const hash = structureHash('undo', canonicalText([run_id, nth]));
  const variant = '89ab'[Number.parseInt(hash.charAt(16), 16) % 4];
  return `${hash.slice(0, 8)}-${hash.slice(8, 12)}-4${hash.slice(13, 16)}-${variant}${hash.slice(17, 20)}-${hash.slice(20, 32)}`;
}

/** How a call stands to an undo: taken back, tried with an outcome that nobody knows, or not. */
type Attempt = { readonly end: 'undone' | 'unknown' | 'open'; readonly run_id: string };

/** What the undos of a run have come to, by the calls that they were for. A call whose revert failed is not among them. */
export function attemptsIn(undos: readonly (readonly LedgerRecord[])[]): ReadonlyMap<string, Attempt> {
  const attempts = new Map<string, Attempt>();
  for (const records of undos) {
    const [first] = records;
    if (first?.kind !== 'configuration' || first.body.undoes === undefined) continue;
    const { calls } = first.body.undoes;
    for (const { step, records: own } of groupBySteps(records)) {
      const call = step === undefined ? undefined : calls[step - 1];
      const end = call && endOf(own);
      if (call !== undefined && end !== undefined) attempts.set(keyOf(call), { end, run_id: first.run_id });
    }
  }
  return attempts;
}

function endOf(records: readonly LedgerRecord[]): Attempt['end'] | undefined {
  const receipt = bodiesOf(records, 'receipt')[0];
  if (receipt === undefined) return 'open';
  const state = callState(receipt.evidence, bodiesOf(records, 'intent').length > 0);
  return state === 'done' ? 'undone' : state === 'unknown' ? 'unknown' : undefined;
}

/** The call's place within its run as a text. */
export function keyOf({ step, operation, ticket }: Pick<UndoneCall, 'step' | 'operation' | 'ticket'>): string {
  return `${step}/${operation ?? ''}/${ticket ?? ''}`;
}

/**
 * Says which calls of a run an undo would take back, in their order, and which it could not, before anything is done.
 * Counted are the calls that ran and have an effect, also those of programs and of messages. `facts_altered`,
 * `payload_missing` where the definitions of the run are gone.
 */
export function planUndo(
  run: RunToUndo,
  range: UndoRange,
  now: RevertNow,
  attempts: ReadonlyMap<string, Attempt>,
): Outcome<UndoPlan> {
  const [first] = run.records;
  if (first?.kind !== 'configuration') return pass(NO_PLAN);
  const registry = restoreRegistry(first.body, run.find);
  if (!registry.ok) return registry;
  const powers = restorePowers(first.body, run.find);
  if (!powers.ok) return powers;
  const byHash = new Map([...registry.value.capabilities.values()].map((each) => [each.hash, each]));
  const effects = new Map([...(powers.value?.powers.values() ?? [])].map((each) => [each.hash, each.manifest.effect]));
  const past = new PastCalls(run, byHash, effects, now);
  const all = past.all().toReversed();
  const isIn = ({ step }: Pick<UndoneCall, 'step'>) =>
    range.step === undefined ? step > (range.back_to ?? 0) : step === range.step;
  const calls: PlannedCall[] = [];
  const barriers: UndoBarrier[] = [];
  const before: UndoPlan['before'][number][] = [];
  let later = 0;
  for (const each of all) {
    const { call, reason } = each;
    const attempt = attempts.get(keyOf(call));
    const { step, capability } = call;
    if (!isIn(call)) {
      const isStanding = reason !== 'failed' && reason !== 'nothing' && attempt?.end !== 'undone';
      if (range.step !== undefined && step > range.step && isStanding) later += 1;
    } else if (attempt?.end === 'undone') before.push({ step, capability, run_id: attempt.run_id });
    else if (attempt !== undefined) barriers.push({ ...placeOf(call), reason: attempt.end });
    else if (reason === undefined) calls.push(each.call as PlannedCall);
    // a step that is asked for by its number is told why there is nothing to take back; in a range it is passed over
    else if ((reason !== 'failed' && reason !== 'nothing') || range.step !== undefined)
      barriers.push({ ...placeOf(call), reason });
  }
  const mixed = calls.length > 0 || before.length > 0;
  return pass({
    calls,
    barriers: barriers.filter(({ reason }) => !mixed || (reason !== 'failed' && reason !== 'nothing')),
    before,
    later_calls: later,
    labels: joined(past.labels, ...calls.flatMap(({ carries = [] }) => carries.map((place) => place.labels))),
  });
}

const NO_PLAN: UndoPlan = { calls: [], barriers: [], before: [], later_calls: 0, labels: [] };

function placeOf({ step, operation, ticket, capability }: UndoneCall): Omit<UndoBarrier, 'reason'> {
  return { step, ...(operation !== undefined && { operation }), ...(ticket !== undefined && { ticket }), capability };
}

/** The arguments of the call that takes a call back. */
export function revertArguments(run_id: string, { args, result, ...call }: PlannedCall): JsonValue {
  const { step, step_id, operation, ticket } = call;
  const place: CallPlace = {
    run_id,
    step,
    step_id,
    ...(operation !== undefined && { operation }),
    ...(ticket !== undefined && { ticket }),
  };
  return { args, result, call: { ...place } };
}

/** What the first record of an undo says. */
export function undoneRun(
  run_id: string,
  { step, back_to }: UndoRange,
  { calls, later_calls }: UndoPlan,
  later_runs: number,
): UndoneRun {
  return {
    run_id,
    ...(step !== undefined && { step }),
    ...(back_to !== undefined && { back_to }),
    calls: calls.map(({ args: _, result: __, ...call }) => call),
    later_calls,
    later_runs,
  };
}

type CallState = 'done' | 'failed' | 'unknown' | 'nothing';

/** Ends of a call by which it has certainly not taken effect, or by which its own tool says that it has not. */
const FAILED: ReadonlySet<string> = new Set(['threw', 'args', 'args_refused', 'args_transformed', 'gone', 'barred']);

function callState({ reason, ended_by }: Pick<Evidence, 'reason' | 'ended_by'>, isBegun: boolean): CallState {
  if (reason === undefined) return 'done';
  if (ended_by !== undefined) return FAILED.has(ended_by) ? 'failed' : 'unknown';
  return isBegun ? 'unknown' : 'nothing';
}

/** Codes of errors of a tool's use by a program after which it has certainly not run. */
const UNRUN: ReadonlySet<string> = new Set(['args_refused', 'args_transformed', 'power_arguments', 'power_unknown']);

/** A call of the past: with all that its revert needs, or with the reason why it has none. */
interface PastCall {
  readonly call: UndoneCall | PlannedCall;
  readonly reason?: UndoReason;
}

type Held = HeldEvidence & { readonly isGood: boolean };

/** Bytes of the values in the places of handles. */
const BYTES_MAX = 2 ** 24;
/** What is left of a proposal for what stands around the arguments. */
const ARGUMENT_BYTES = DECODE_LIMITS.bytes - 4096;

/** The calls of a run that ran and have an effect, in the order in which they ran. */
class PastCalls {
  labels: readonly Label[] = [];
  readonly #run: RunToUndo;
  readonly #definitions: ReadonlyMap<string, Capability>;
  readonly #effects: ReadonlyMap<string, string>;
  readonly #now: RevertNow;
  readonly #held = new Map<string, Held>();
  /** Where the call that a person has just replaced had handles: their values may stand there in the person's own. */
  #replaced: readonly CarriedPlace[] = [];
  readonly #isHolding: boolean;

  constructor(
    run: RunToUndo,
    definitions: ReadonlyMap<string, Capability>,
    effects: ReadonlyMap<string, string>,
    now: RevertNow,
  ) {
    this.#run = run;
    this.#definitions = definitions;
    this.#effects = effects;
    this.#now = now;
    const [first] = run.records;
    this.#isHolding = first?.kind === 'configuration' && first.body.holding === true;
    this.labels = (first?.kind === 'configuration' && first.body.labels) || [];
  }

  all(): readonly PastCall[] {
    return groupBySteps(this.#run.records).flatMap(({ step, records }) =>
      step === undefined ? [] : this.#step(step, records),
    );
  }

  #step(step: number, records: readonly LedgerRecord[]): readonly PastCall[] {
    const verdict = bodiesOf(records, 'verdict')[0];
    const closed = bodiesOf(records, 'receipt')[0];
    const labels = bodiesOf(records, 'decision').map((body) => body.labels);
    this.labels = joined(this.labels, ...labels, closed?.evidence.labels ?? []);
    const found = verdict?.accepted ? this.#calls(step, verdict, records, closed) : [];
    const isReplaced = closed?.evidence.reason?.code === 'replaced';
    this.#replaced = isReplaced && verdict?.args !== undefined ? this.#given(verdict.args).carries : [];
    const held = closed?.evidence.held;
    if (held !== undefined)
      this.#held.set(handleOf(step, held.operation), { ...held, isGood: closed?.receipt.status === 'SUCCESS' });
    return found;
  }

  #calls(
    step: number,
    verdict: Bodies['verdict'],
    records: readonly LedgerRecord[],
    closed: Bodies['receipt'] | undefined,
  ): readonly PastCall[] {
    const { step_id } = verdict;
    const intents = bodiesOf(records, 'intent').map((body) => body.capability_hash);
    const asked = verdict.operations ?? (verdict.kind === 'call' ? [verdict] : []);
    const held = closed?.evidence.held;
    return asked.flatMap(({ capability = '', capability_hash = '', args }, at): readonly PastCall[] => {
      const operation = verdict.operations === undefined ? undefined : at;
      const place = { step, step_id, ...(operation !== undefined && { operation }), capability, capability_hash };
      const begun = intents.indexOf(capability_hash);
      if (begun >= 0) intents.splice(begun, 1);
      const definition = this.#definitions.get(capability_hash);
      if (definition === undefined) return [];
      const action = closed?.receipt.actions[at];
      const evidence: Partial<OperationEvidence> | undefined =
        operation === undefined ? closed?.evidence : closed?.evidence.operations?.[at];
      const isCut = closed === undefined;
      const state = isCut ? 'nothing' : callState(evidence ?? NOT_RUN, begun >= 0);
      const isHeld = held !== undefined && (operation === undefined || operation >= (held.operation ?? 0));
      if (definition.manifest.host === undefined)
        return this.#program(place, definition, {
          state,
          evidence,
          action,
          records,
          isCut,
          held: isHeld ? held : undefined,
        });
      if (isCut) return begun >= 0 ? [{ call: place, reason: 'open' }] : [];
      if (!hasEffect(definition)) return [{ call: place, reason: 'nothing' }];
      if (state === 'nothing') return [{ call: place, reason: 'nothing' }];
      if (state !== 'done') return [{ call: place, reason: state }];
      const given = args && this.#given(args);
      // a result may be null
      const own = this.#result(action);
      const result = own === undefined && isHeld ? this.#heldResult(held, operation) : own;
      const carries = [
        ...(given?.carries ?? []),
        ...this.#replaced,
        ...(isHeld
          ? [{ pointer: '/result', labels: held.labels, handle: handleOf(step, held.operation), sources: held.sources }]
          : []),
      ];
      return [
        this.#planned({ ...place, ...secretOf(args), ...(carries.length > 0 && { carries }) }, given?.value, result),
      ];
    });
  }

  /** What a program did while it ran: tools that it called, powers of the page, and values that it stored. */
  #program(place: UndoneCall, { manifest }: Capability, past: ProgramPast): readonly PastCall[] {
    const { evidence, action, records, isCut, state, held } = past;
    const outer = { ...place };
    if (manifest.name === WRITES) {
      const isWritten = action?.status === 'SUCCESS';
      return isWritten ? [{ call: outer, reason: 'content' }] : [];
    }
    if (isCut) {
      const begun = bodiesOf(records, 'power').filter((body) => body.event === 'issued' && changes(body.effect));
      return begun.map(({ ticket, power, power_hash }) => ({
        call: { ...outer, ticket, capability: power, capability_hash: power_hash },
        reason: 'open',
      }));
    }
    const told = this.#list(evidence?.power_calls);
    const issued = new Set(bodiesOf(records, 'power').flatMap((body) => (body.event === 'issued' ? body.ticket : [])));
    const found = [...lastByTicket(evidence?.powers ?? [])].flatMap(({ ticket, power, power_hash, decision }) => {
      if (decision !== 'AUTHORIZED') return [];
      const call = { ...outer, ticket, capability: power, capability_hash: power_hash };
      return this.#inner(call, told[ticket - 1], issued.has(ticket), evidence?.power_calls, held);
    });
    const stored = told.flatMap((each, at): readonly PastCall[] => {
      const isPut = isObject(each) && each['name'] === 'store.put' && each['error'] === undefined;
      const call = { ...outer, ticket: at + 1, capability: 'store.put' };
      return isPut && state === 'done' ? [{ call, reason: 'no_revert' }] : [];
    });
    const all = [...found, ...stored].sort((a, b) => (a.call.ticket ?? 0) - (b.call.ticket ?? 0));
    return all.length === 0 ? [{ call: outer, reason: state === 'failed' ? 'failed' : 'nothing' }] : all;
  }

  #inner(
    call: UndoneCall,
    told: JsonValue | undefined,
    isIssued: boolean,
    ref: PayloadRef | undefined,
    held: HeldEvidence | undefined,
  ): readonly PastCall[] {
    const definition = this.#definitions.get(call.capability_hash);
    const effect = definition?.manifest.effect ?? this.#effects.get(call.capability_hash);
    if (definition === undefined ? !changes(effect) : !hasEffect(definition)) return [];
    if (ref !== undefined && told === undefined && this.#run.find(ref) === undefined)
      return [{ call, reason: 'erased' }];
    if (!isObject(told)) return isIssued ? [{ call, reason: 'unknown' }] : [];
    const { args, result = null, error } = told;
    if (isObject(error)) {
      const isUnknown = isObject(error['details']) && !UNRUN.has(error['name'] as string);
      return isUnknown ? [{ call, reason: 'unknown' }] : [];
    }
    if (definition?.manifest.host === undefined) return [{ call, reason: 'no_revert' }];
    const [sole] = Array.isArray(args) ? (args as readonly JsonValue[]) : [];
    const carries = held && [{ pointer: '', labels: held.labels, sources: held.sources }];
    return [this.#planned({ ...call, ...secretOf(ref), ...(carries && { carries }) }, sole, result)];
  }

  /** The call with what its revert is given, or with the reason why it cannot be taken back. */
  #planned(call: UndoneCall, args: JsonValue | undefined, result: JsonValue | undefined): PastCall {
    const definition = this.#definitions.get(call.capability_hash);
    const missing = this.#now(call.capability, call.capability_hash);
    if (missing !== undefined)
      return { call, reason: definition?.manifest.host?.revert || missing !== 'changed' ? missing : 'no_revert' };
    if (args === undefined || result === undefined) return { call, reason: 'erased' };
    const text = canonicalize([args, result]);
    if (!text.ok || encodeText(text.value).length > ARGUMENT_BYTES) return { call, reason: 'large' };
    // what was held leaves this device in no telemetry, and in no export without secrets
    return { call: { ...call, ...(call.carries && { secret: true }), args, result } };
  }

  /** Arguments with the values of their handles, and where these stand. */
  #given(ref: PayloadRef): { readonly value: JsonValue | undefined; readonly carries: readonly CarriedPlace[] } {
    const args = this.#json(ref);
    if (args === undefined || !this.#isHolding || !isObject(args)) return { value: args, carries: [] };
    const found = handlesIn(args);
    if (!found.ok || found.value.length === 0) return { value: args, carries: [] };
    const valueOf: ValueOf = (handle) => {
      const held = this.#held.get(handle);
      const value = held?.isGood ? this.#json(held.outcome) : undefined;
      return value === undefined ? undefined : { value };
    };
    const resolved = withValues(args, found.value, valueOf, BYTES_MAX);
    const carries = found.value.map(({ handle, pointer }): CarriedPlace => {
      const { labels = [], sources = [] } = this.#held.get(handle) ?? {};
      return { pointer: `/args${pointer}`, labels, handle, sources };
    });
    return { value: resolved.ok ? resolved.value : undefined, carries };
  }

  #result(action: Action | undefined): JsonValue | undefined {
    const ref = action?.result;
    return isPayloadRef(ref) ? this.#json(ref as PayloadRef) : undefined;
  }

  /** The outcome of a held call, or of an operation of a message that is held from `held.operation` on. */
  #heldResult({ outcome, operation: from = 0 }: HeldEvidence, operation: number | undefined): JsonValue | undefined {
    const value = this.#json(outcome);
    if (operation === undefined) return value;
    const operations = isObject(value) ? value['operations'] : undefined;
    const own = Array.isArray(operations) ? (operations as readonly JsonValue[])[operation - from] : undefined;
    return isObject(own) ? (own['result'] ?? null) : undefined;
  }

  #list(ref: PayloadRef | undefined): readonly JsonValue[] {
    const value = ref && this.#json(ref);
    if (!Array.isArray(value)) return [];
    return (value as readonly JsonValue[]).map((each) => {
      if (!isObject(each) || typeof each['name'] !== 'string') return each;
      const { name, args = null } = each;
      return { ...each, ...requestedPower({ name: name as string, args }) };
    });
  }

  #json(ref: PayloadRef): JsonValue | undefined {
    const bytes = this.#run.find(ref);
    const text = bytes && decodeUtf8(bytes);
    return text === undefined ? undefined : parseJson(text);
  }
}

interface ProgramPast {
  readonly state: CallState;
  readonly evidence: Partial<OperationEvidence> | undefined;
  readonly action: Action | undefined;
  readonly records: readonly LedgerRecord[];
  readonly isCut: boolean;
  readonly held: HeldEvidence | undefined;
}

const WRITES = 'content.write';
/** An operation that the message never came to. */
const NOT_RUN: Pick<Evidence, 'reason'> = { reason: { class: 'run', code: 'interrupted' } };

function changes(effect: string | undefined): boolean {
  return effect === 'write' || effect === 'egress';
}

/** A tool that can take its calls back has something to take back, whatever its effect is called. */
function hasEffect({ manifest: { effect, host } }: Capability): boolean {
  return changes(effect) || host?.revert !== undefined;
}

function secretOf(ref: PayloadRef | undefined): Pick<UndoneCall, 'secret'> {
  return ref?.salt === undefined ? {} : { secret: true };
}

function bodiesOf<K extends RecordKind>(records: readonly LedgerRecord[], kind: K): readonly Bodies[K][] {
  return records.flatMap((record) => (record.kind === kind ? [record.body as Bodies[K]] : []));
}

/** The last decision about each use, by its ticket. */
function lastByTicket(decisions: readonly PowerDecision[]): Iterable<PowerDecision> {
  return new Map(decisions.map((each) => [each.ticket, each])).values();
}
