import { unreachable } from '../../../core/assert.ts';
import { refusedIn } from '../../../core/capability/check.ts';
import type { Revocation } from '../../../core/capability/policy.ts';
import { refuse } from '../../../core/errors.ts';
import type { RunHead } from '../../../core/ledger/chain.ts';
import type { LedgerRecord } from '../../../core/ledger/record.ts';
import { allNamed, limitsFor } from '../../../core/limits.ts';
import { type Outcome, pass, type Refusal } from '../../../core/outcome.ts';
import { takesNotes } from '../../../core/run/authorize/revoke.ts';
import { beginEdit, judgeEdit } from '../../../core/run/edit.ts';
import type { Question, RunEffect } from '../../../core/run/effect.ts';
import type { HostRejection, QuestionAnswer, RunEvent } from '../../../core/run/event.ts';
import type { Notice } from '../../../core/run/notices.ts';
import { mayFork, type RunFacts, type RunState } from '../../../core/run/state.ts';
import { openStep, type Transition } from '../../../core/run/step.ts';
import { transition } from '../../../core/run/transition.ts';
import type { ConsentRequest, EditedQuestion, ModelWait, RunEnd, RunView } from '../../api.ts';
import { type Deferred, deferred, LongTimer, makeWaiters, type Waiters } from '../../async.ts';
import type { Ports, RunListener } from '../../ports.ts';
import { prepareHandles } from '../../sandbox/prepare-schemas.ts';
import { thrownError } from '../../thrown.ts';
import type { ChargeBits } from '../charges.ts';
import type { RunContent } from '../content/run-content.ts';
import type { CallHost, EffectOf } from './call-scope.ts';
import { GuestCall } from './guest-call.ts';
import { ToolCall } from './page-calls.ts';
import { RunWriter, type WriterPorts } from './record-writer.ts';
import { type ModelPorts, RunModel } from './run-model.ts';
import { makeTelemetry, type TelemetryLog } from './telemetry.ts';

/** Everything that a run needs: the kernel's ports, its model, its listener, and the runners of the page's powers. */
export interface RunPorts
  extends Ports,
    Omit<ModelPorts, keyof Ports>,
    Pick<CallHost, 'runner'>,
    Pick<WriterPorts, 'append' | 'grown'> {
  readonly content: RunContent;
  readonly charge: ChargeBits;
  /** Newest records of a resumed run: the listener receives them before new records. */
  readonly known?: readonly LedgerRecord[];
  /** Disables a capability with a schema that does not compile, or a source that does not load. */
  readonly disable: (capability_hash: string) => void;
  /** Called a single time, after the last write of this loop: another kernel may claim the run. */
  readonly done: (run_id: string) => void;
  readonly listener: RunListener;
}

/**
 * Interpreter of a single run: hands events to `transition` and carries out the effects it returns. It is the only
 * place that waits, and it makes no decision.
 */
export class RunLoop {
  readonly facts: RunFacts;
  readonly telemetry: TelemetryLog;
  /** The clock of the run, ms since epoch. It never goes back, also where the clock of the device was set back. */
  readonly now: () => number;
  /** Sessions that waited for a person when this one began beside them, in the states of that moment. */
  readonly beside: ReadonlyMap<string, RunState>;
  readonly #ports: RunPorts;
  readonly #model: RunModel;
  readonly #writer: RunWriter;
  readonly #callers = new RunCallers();
  readonly #clock = new LongTimer();
  readonly #startedAt: number;
  #endedAt: number | undefined;
  #state: RunState;
  #pending: Question | undefined;
  #consent: ConsentRequest | undefined;
  #end: RunEnd | undefined;
  #call: GuestCall | ToolCall | undefined;
  #leaving: Deferred<void> | undefined;
  /** To whom this loop lets the run go: to another kernel, or to a later one. */
  #goesTo: 'taken' | 'suspended' = 'taken';
  #isLeft = false;
  /** The step at work is cut, so that the run is let go soon. */
  #isHurried = false;
  #isDone = false;
  #isSucceeded = false;
  /** Why the last answer did not count. */
  #unheard: Refusal | undefined;

  constructor(state: RunState, head: RunHead, given: RunPorts, beside: ReadonlyMap<string, RunState> = new Map()) {
    this.beside = beside;
    const ports = { ...given, now: neverBack(given.now, given.known?.at(-1)?.at) };
    this.#state = state;
    this.facts = state.facts;
    this.now = ports.now;
    this.telemetry = makeTelemetry(ports.now, undefined, ports.names);
    this.#ports = ports;
    this.#startedAt = ports.now();
    this.#model = new RunModel(ports);
    this.#writer = new RunWriter(state.facts, head, ports, ports.known);
  }

  /** The current state, for a preview. */
  get state(): RunState {
    return this.#state;
  }

  /** The question that waits for a person or for the authorizer. */
  get pending(): Question | undefined {
    return this.#pending;
  }

  /** Time for which this loop was open, ms. */
  get elapsedMs(): number {
    return (this.#endedAt ?? this.#ports.now()) - this.#startedAt;
  }

  /** The session after this one has to know what the sessions beside this one have come to. */
  get isAwaited(): boolean {
    return this.beside.size > 0 && !this.#isSucceeded;
  }

  /** Another session may begin beside this one. */
  get mayFork(): boolean {
    return !this.#isSucceeded && mayFork(this.#state);
  }

  /** Another session goes on for this one, which ends with its open call. */
  succeed(): void {
    this.#isSucceeded = true;
  }

  /** The turn has ended; a conversation may begin another turn. */
  get isOver(): boolean {
    return this.#end !== undefined;
  }

  /** The run has ended and takes no further turn. */
  get isFinal(): boolean {
    return this.#end !== undefined && (this.#end.state !== 'completed' || this.facts.caller === true);
  }

  /** The turn has ended, and no write of the run is in flight. */
  get isFinished(): boolean {
    return this.isOver && !this.#writer.isWriting;
  }

  /** Resolves when the run has ended. */
  get over(): Promise<void> {
    return this.isOver ? Promise.resolve() : this.#callers.ended.wait();
  }

  /** Resolves when no step is at work: at once where the run waits for a proposal or for a person's yes to a call. */
  get rest(): Promise<void> {
    return this.isOver || isAtRest(this.#state) ? Promise.resolve() : this.#callers.rest.wait();
  }

  dispatch(event: RunEvent): void {
    this.take(transition(this.#state, event), event);
  }

  /** Takes a person's answer, or tells why it does not count. */
  answer(digest: string, answer: QuestionAnswer, isRight: boolean | undefined): Outcome<void> {
    this.#unheard = undefined;
    const signed = isRight === undefined ? {} : { isRight };
    this.dispatch({ type: 'answered', digest, answer, ...signed, now: this.now() });
    const unheard: Refusal | undefined = this.#unheard;
    return unheard === undefined ? pass(undefined) : { ok: false, refusal: unheard };
  }

  /** The open question with edited arguments, as the gates judge them now. The run stays as it is. */
  async edit(digest: string, args: string): Promise<Outcome<EditedQuestion>> {
    for (;;) {
      const state = this.#state;
      const begun = beginEdit(state, digest, args, this.now());
      if (!begun.ok) return begun;
      const { edited, outside } = begun.value;
      if (state.facts.holding) await prepareHandles(this.#ports.schemas, edited.bound.capability);
      const { argsText } = edited.call;
      const results = outside.length === 0 ? new Map() : await this.#ports.schemas.check(outside, argsText);
      // another answer, or a revocation, may have come meanwhile
      if (this.#state === state && this.#pending !== undefined)
        return judgeEdit(state, begun.value, results, this.#pending);
    }
  }

  /** Enters a state and performs its effects, after an event or when a run is resumed. */
  take([state, effects]: Transition, event?: RunEvent): void {
    if (this.#isLeft) return;
    this.telemetry.observe(this.#state, event, state, effects);
    this.#state = state;
    if (state.at.phase === 'MEMORY_COMMITTING') this.#end = undefined;
    if (state.at.phase !== 'AWAITING_APPROVAL') {
      this.#pending = undefined;
      this.#consent = undefined;
    }
    for (const effect of effects) this.#perform(effect);
    this.#notify();
    this.#answerCallers();
    if (this.#isHurried && event?.type !== 'cut') this.#cutWork();
    if (this.#leaving !== undefined && this.#mayLeave()) this.#leave(this.#leaving);
    if (!this.#isDone && this.isFinal && !this.#writer.isWriting) {
      this.#isDone = true;
      this.#ports.done(this.facts.run_id);
    }
  }

  /**
   * Pauses for good, so that another kernel, or a later one, can continue from the records. Resolves after the last write
   * of this loop.
   */
  handOver(to: 'taken' | 'suspended' = 'taken'): Promise<void> {
    if (this.#leaving === undefined) {
      this.#leaving = deferred();
      this.#goesTo = to;
      this.dispatch({ type: 'pause' });
    }
    return this.#leaving.promise;
  }

  /** Ends the call at work as `call_aborted`, so that a run that is let go is let go soon. */
  hurry(): void {
    this.#isHurried = true;
    this.#cutWork();
  }

  #cutWork(): void {
    const open = openStep(this.#state);
    if (open !== undefined && !isSafe(this.#state)) this.dispatch({ type: 'cut', step: open.step });
  }

  #mayLeave(): boolean {
    return !this.#writer.isWriting && (this.isOver || isSafe(this.#state));
  }

  #leave({ resolve }: Deferred<void>): void {
    this.#isLeft = true;
    this.#clock.stop();
    this.#model.cancel();
    this.#call?.abort();
    this.telemetry.end();
    this.#notify();
    this.#answerCallers();
    resolve();
  }

  /**
   * Resolves when the ledger has recorded the revocation; later decisions include it. Also resolves where the run is
   * over.
   */
  revoke(revocation: Revocation): Promise<void> {
    this.dispatch({ type: 'revoked', ...revocation });
    const revoked = this.#callers.revoked.wait();
    this.#answerCallers();
    return revoked;
  }

  /** Resolves when the ledger has recorded the task: at once where the run rests, else after the current step. */
  say(task: string): Promise<Outcome<void>> {
    const said = this.#callers.said.wait();
    this.dispatch({ type: 'say', task });
    // A run that is over or released has no later transition that would answer.
    this.#answerCallers();
    return said;
  }

  /** Records messages of a host that were turned away. False where the run takes no record any more. */
  reject(rejection: HostRejection): boolean {
    if (this.#isLeft || !takesNotes(this.#state)) return false;
    const { nonce } = this.#ports;
    const salt = this.facts.registry.hasSecrets ? { salt: nonce() + nonce() } : {};
    this.dispatch({ type: 'rejected', rejection, ...salt });
    return true;
  }

  #answerCallers(): void {
    this.#callers.settle(this.#state, this.isOver, this.#isLeft ? this.#goesTo : undefined);
  }

  /** Ends the run when the time of this turn is up. */
  watchClock(): void {
    const ending = { state: 'limit', code: 'limit_wall' } as const;
    const { wallMs, ...others } = limitsFor(this.facts.limits, 'clock');
    allNamed(others);
    this.#clock.start(Math.max(0, wallMs - (this.facts.carried?.elapsed_ms ?? 0)), () =>
      this.dispatch({ type: 'stop', ending }),
    );
  }

  /** Ends a session whose time was up before it began. The timer would let a call of the caller pass before. */
  endIfLate(): void {
    const { wallMs } = limitsFor(this.facts.limits, 'clock');
    if ((this.facts.carried?.elapsed_ms ?? 0) >= wallMs)
      this.dispatch({ type: 'stop', ending: { state: 'limit', code: 'limit_wall' } });
  }

  #perform(effect: RunEffect): void {
    switch (effect.type) {
      case 'propose':
        if (this.#isSucceeded) return this.#answer(Promise.resolve(SUCCEEDED));
        return this.#answer(this.#model.ask(effect, () => this.#state));
      case 'check':
        return this.#guard(this.#check(effect));
      case 'resolve':
        return this.#answer(this.#resolve(effect));
      case 'load':
        return this.#answer(this.#load(effect));
      case 'recall':
        return this.#answer(this.#recall(effect));
      case 'charge':
        return this.#answer(this.#charge(effect));
      case 'ask':
        this.#pending = effect.question;
        // A later question of a call: a person may take days.
        return this.#guest?.park();
      case 'refuse_answer':
        this.#unheard = effect.refusal;
        return;
      case 'ask_consent':
        this.#consent = effect.question;
        return;
      case 'execute':
        return this.#guard(this.#begin(effect));
      case 'park':
        return this.#guest?.park();
      case 'unpark':
        return this.#guard(this.#open(effect).goOn(effect));
      case 'power':
        return this.#guard(this.#guest?.carry(effect));
      case 'answer_power':
        return this.#guest?.answer(effect.ticket, effect.answer);
      case 'answer_read':
        return this.#guest?.answerRead(effect);
      case 'append':
        // Every task has its own time.
        if (effect.drafts.some(({ kind }) => kind === 'task')) this.watchClock();
        return this.#answer(this.#writer.append(effect));
      case 'note':
        return this.#answer(this.#writer.note(effect));
      case 'cancel':
        this.#model.cancel();
        return this.#call?.abort();
      case 'end':
        return this.#finish(effect);
      default:
        return unreachable(effect);
    }
  }

  /** Dispatches the event that answers an effect. */
  #answer(work: Promise<RunEvent | undefined>): void {
    this.#guard(work.then((event) => event && this.dispatch(event)));
  }

  #guard(work: Promise<void> | undefined): void {
    work?.catch((error: unknown) => this.dispatch({ type: 'broken', reason: thrownError(error).message }));
  }

  async #check({ step, schemas, text, later }: EffectOf<'check'>): Promise<void> {
    const { at } = this.#state;
    // most runs have no handle: these schemas are judged with the first one
    if (this.#state.facts.holding && 'bound' in at)
      await prepareHandles(this.#ports.schemas, at.bound.capability, (hash) =>
        [...schemas, ...(later ?? [])].includes(hash),
      );
    const results = await this.#ports.schemas.check(schemas, text, later);
    this.dispatch({ type: 'checked', step, results });
    const isUsable = refusedIn(results) === undefined;
    if (!isUsable && 'bound' in at) this.#ports.disable(at.bound.capability.hash);
  }

  async #resolve({ step, symbols }: EffectOf<'resolve'>): Promise<RunEvent> {
    return { type: 'resolved', step, found: await this.#ports.content.resolve(symbols) };
  }

  async #load({ step, path }: EffectOf<'load'>): Promise<RunEvent> {
    return { type: 'loaded', step, ...(await this.#ports.content.load(path)) };
  }

  /** Reads the payloads of held outcomes. One that was erased, or altered, is missing. */
  async #recall({ step, refs }: EffectOf<'recall'>): Promise<RunEvent> {
    const { store } = this.#ports;
    const bytes = new Map<string, Uint8Array>();
    for (const { sha256 } of refs) {
      const found = bytes.has(sha256) ? undefined : await store.payload(this.facts.run_id, sha256);
      if (found?.ok && found.value !== undefined) bytes.set(sha256, found.value);
    }
    return { type: 'recalled', step, bytes };
  }

  async #charge(effect: EffectOf<'charge'>): Promise<RunEvent> {
    return { type: 'charged', step: effect.step, before: await this.#ports.charge(effect) };
  }

  /** The call in the sandbox; undefined while the program carries out a tool. */
  get #guest(): GuestCall | undefined {
    return this.#call instanceof GuestCall ? this.#call : undefined;
  }

  #begin(effect: EffectOf<'execute'>): Promise<void> {
    if (effect.call.capability.manifest.host === undefined) return this.#open(effect).begin(effect);
    const call = new ToolCall(this.#host, effect);
    this.#call = call;
    return call.begin(effect);
  }

  #open(effect: EffectOf<'execute' | 'unpark'>): GuestCall {
    const call = new GuestCall(this.#host, effect);
    this.#call = call;
    return call;
  }

  get #host(): CallHost {
    const { runner, disable } = this.#ports;
    return { ports: this.#ports, state: () => this.#state, dispatch: (event) => this.dispatch(event), runner, disable };
  }

  #finish({ ending }: EffectOf<'end'>): void {
    this.#clock.stop();
    this.#endedAt = this.#ports.now();
    const { said } = this.#model.failure ?? {};
    const told = ending.code === 'model_failed' && said !== undefined ? { said } : {};
    this.#end = { ...ending, ...told, steps: this.#state.steps, head: this.#writer.head.head };
  }

  #notify(): void {
    const { failure, notices } = this.#model;
    const [pending, consent, end] = [this.#pending, this.#consent, this.#end];
    const left = this.#isLeft ? this.#goesTo : undefined;
    const { records } = this.#writer.head;
    const view = viewOf(this.#state, { records, pending, consent, end, left, failure, notices });
    this.#ports.listener({ view, ...this.#writer.takeWritten() });
  }
}

const SUCCEEDED: RunEvent = { type: 'stop', ending: { state: 'completed', message: 'Another session goes on.' } };

/** The clock, from this time on: an earlier time is told as the latest that was told. */
function neverBack(now: () => number, since = 0): () => number {
  let latest = since;
  return () => {
    latest = Math.max(latest, now());
    return latest;
  };
}

/** State of a run outside of its `RunState`. */
interface ViewFacts {
  readonly records: number;
  readonly pending: RunView['pending'] | undefined;
  readonly consent: RunView['consent'] | undefined;
  readonly end: RunView['end'] | undefined;
  /** To whom the run was let go. */
  readonly left: 'taken' | 'suspended' | undefined;
  /** The last failure of the model. */
  readonly failure: RunModel['failure'];
  readonly notices: readonly Notice[];
}

function viewOf(
  { facts, at, mode, steps, tokens, waiting, failures, released }: RunState,
  { records, pending, consent, end, left, failure, notices }: ViewFacts,
): RunView {
  return {
    run_id: facts.run_id,
    dialect: facts.dialect,
    phase: at.phase,
    mode,
    ...(facts.holding && { holding: true }),
    steps,
    records,
    ...(tokens && { tokens }),
    ...(released.size > 0 && { released: releasedBy(facts, released) }),
    ...(pending && { pending }),
    ...(consent && { consent }),
    ...(waiting && WAITING.has(at.phase) && { waiting: waitOf(waiting, failures, failure) }),
    ...(notices.length > 0 && { notices }),
    ...(end && { end }),
    ...(left === 'taken' && { taken: true as const }),
    ...(left === 'suspended' && { suspended: true as const }),
  };
}

function releasedBy({ policy }: RunFacts, released: RunState['released']): NonNullable<RunView['released']> {
  return policy.grants.flatMap(({ id: grant, capability, release }) => {
    const counted = released.get(grant);
    if (release === undefined || counted === undefined) return [];
    return [{ capability, grant, charged: counted.own, left: release.bits - counted.all }];
  });
}

/** Phases of a run whose model has not answered: it rests, or asks again. */
const WAITING: ReadonlySet<RunState['at']['phase']> = new Set(['IDLE', 'INPUT_RECEIVED']);

function waitOf(
  { message, after_ms: afterMs }: NonNullable<RunState['waiting']>,
  failures: number,
  { since, said }: NonNullable<ViewFacts['failure']> = { since: 0 },
): ModelWait {
  return { message, ...(said !== undefined && { said }), ...(afterMs !== undefined && { afterMs }), since, failures };
}

/** True where a crash would lose no work: a kernel that resumes the run finds no interrupted step. */
function isSafe({ at, mode }: RunState): boolean {
  if (at.phase === 'INPUT_RECEIVED') return true;
  if (at.phase === 'IDLE') return mode === 'paused';
  return at.phase === 'AWAITING_APPROVAL' && (at.about !== 'power' || at.during.pendingCalls.parked);
}

/** The refusal of a request to a run that was let go. */
const LEFT = { taken: 'run_open', suspended: 'run_suspended' } as const;

/** Callers that wait for a run: for its end, for the record of a revocation, or for the record of a task. */
class RunCallers {
  readonly ended: Waiters<void> = makeWaiters();
  readonly rest: Waiters<void> = makeWaiters();
  readonly revoked: Waiters<void> = makeWaiters();
  readonly said: Waiters<Outcome<void>> = makeWaiters();

  /** Answers the callers whose wait is over in this state. Each wait also ends with the run. */
  settle(state: RunState, isOver: boolean, left: 'taken' | 'suspended' | undefined): void {
    const isLeft = left !== undefined;
    const { facts, at, revoking, pendingNotes, pendingTasks } = state;
    if (isOver || isLeft || isAtRest(state)) this.rest.settle();
    if (isOver) this.ended.settle();
    if (isOver || isLeft || (revoking === undefined && pendingNotes === 0)) this.revoked.settle();
    if (isLeft) this.said.settle(refuse(LEFT[left], { run_id: facts.run_id }));
    else if (isOver) this.said.settle(refuse('run_sealed', {}));
    else if (pendingTasks.length === 0 && at.phase !== 'MEMORY_COMMITTING') this.said.settle(pass(undefined));
  }
}

/** True where no step is at work and no write is in flight: nothing is being carried out. */
function isAtRest({ at }: RunState): boolean {
  switch (at.phase) {
    case 'PROTOCOL_VALIDATING':
    case 'AUTHORIZATION_EVALUATING':
    case 'CAPABILITY_EXECUTING':
    case 'MEMORY_COMMITTING':
      return false;
    case 'AWAITING_APPROVAL':
      return at.about !== 'power';
    default:
      return true;
  }
}
