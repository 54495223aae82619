import { unreachable } from '../../core/assert.ts';
import type { Revocation } from '../../core/capability/policy.ts';
import { refuse } from '../../core/errors.ts';
import { encodeText } from '../../core/json/utf8.ts';
import type { RunHead } from '../../core/ledger/chain.ts';
import type { LedgerRecord } from '../../core/ledger/record.ts';
import { requestBounds } from '../../core/limits.ts';
import { type Outcome, pass } from '../../core/outcome.ts';
import type { RunEffect } from '../../core/run/effect.ts';
import type { RunEvent } from '../../core/run/event.ts';
import { answerCutOff, type Notice } from '../../core/run/notices.ts';
import type { RunFacts, RunState } from '../../core/run/state.ts';
import type { Transition } from '../../core/run/step.ts';
import { transition } from '../../core/run/transition.ts';
import type { ApprovalRequest, ConsentRequest, ModelWindow, RunEnd } from '../api.ts';
import { type Deferred, deferred, makeWaiters } from '../async/deferred.ts';
import { makeDelay } from '../async/delay.ts';
import type { ContentHold, RunContent } from '../content/run-content.ts';
import type { ModelFailure, Ports, Proposer, RunListener } from '../ports.ts';
import { modelRequester } from './ask-model.ts';
import { type CallHost, GuestCall } from './guest-call.ts';
import { makeWriter, type RunWriter } from './record-writer.ts';
import { isSafe, viewOf } from './run-view.ts';
import { makeTelemetry, type TelemetryLog } from './telemetry.ts';

type Of<T extends RunEffect['type']> = Extract<RunEffect, { type: T }>;

/** Everything that a run needs: the kernel's ports, its model, its listener, and the runners of the page's powers. */
export interface RunPorts extends Ports, Pick<CallHost, 'runner'> {
  readonly content: RunContent;
  /** Records of a resumed run: the listener receives them before new records. */
  readonly known?: readonly LedgerRecord[];
  /** Called after a commit of the run. */
  readonly grown: (run_id: string) => void;
  /** Called a single time, after the last write of this loop: another kernel may claim the run. */
  readonly done: (run_id: string) => void;
  /** Symbols that the model may refer to. */
  readonly symbols: readonly string[];
  readonly proposer: Proposer;
  readonly window?: ModelWindow | undefined;
  /** Notices of the run from its start on. */
  readonly notices?: readonly Notice[];
  readonly listener: RunListener;
}

/**
 * Interpreter of a single run: hands events to `transition` and carries out the effects it returns. It is the only
 * place that waits, and it makes no decision.
 */
export class RunLoop {
  readonly facts: RunFacts;
  readonly telemetry: TelemetryLog;
  private readonly ports: Ports & Pick<RunPorts, 'content' | 'grown' | 'done'>;
  private readonly proposer: Proposer;
  private readonly ask: ReturnType<typeof modelRequester>;
  private readonly listener: RunListener;
  private readonly runner: CallHost['runner'];
  private state: RunState;
  private readonly writer: RunWriter;
  /** Durable records that the listener has not received. */
  private fresh: LedgerRecord[] = [];
  private pending: ApprovalRequest | undefined;
  private consent: ConsentRequest | undefined;
  private end: RunEnd | undefined;
  private call: GuestCall | undefined;
  private said: string | undefined;
  private notices: readonly Notice[];
  private readonly delay = makeDelay();
  private clock: ReturnType<typeof setTimeout> | undefined;
  private readonly ended = makeWaiters();
  private readonly revokers = makeWaiters();
  private readonly speakers = makeWaiters<Outcome<void>>();
  private leaving: Deferred<void> | undefined;
  private left = false;
  private isDone = false;

  constructor(
    state: RunState,
    head: RunHead,
    { proposer, window, notices = [], listener, runner, symbols, known = [], ...ports }: RunPorts,
  ) {
    this.state = state;
    this.writer = makeWriter(state.facts.run_id, head, ports);
    this.facts = state.facts;
    this.telemetry = makeTelemetry(ports.now);
    this.ports = ports;
    this.proposer = proposer;
    this.ask = modelRequester(proposer, symbols, window);
    this.listener = listener;
    this.runner = runner;
    this.notices = notices;
    this.fresh = [...known];
  }

  /** The turn has ended; a conversation may begin another turn. */
  get isOver(): boolean {
    return this.end !== undefined;
  }

  /** The run has ended and takes no further turn. */
  get isFinal(): boolean {
    return this.end !== undefined && this.end.state !== 'completed';
  }

  /** Resolves when the run has ended. */
  get over(): Promise<void> {
    return this.end === undefined ? this.ended.wait() : Promise.resolve();
  }

  dispatch(event: RunEvent): void {
    this.take(transition(this.state, event), event);
  }

  /** Enters a state and performs its effects, after an event or when a run is resumed. */
  take([state, effects]: Transition, event?: RunEvent): void {
    if (this.left) return;
    this.telemetry.observe(this.state, event, state, effects);
    this.state = state;
    if (state.at.phase === 'MEMORY_COMMITTING') this.end = undefined;
    if (state.at.phase !== 'AWAITING_APPROVAL') {
      this.pending = undefined;
      this.consent = undefined;
    }
    for (const effect of effects) this.perform(effect);
    this.notify();
    this.answerSpeakers();
    if (this.leaving !== undefined && this.mayLeave()) this.leave(this.leaving);
    if (!this.isDone && this.isFinal && !this.writer.isWriting) {
      this.isDone = true;
      this.ports.done(this.facts.run_id);
    }
  }

  /**
   * Pauses for good, so that another kernel can continue from the records. Resolves after the last write of this loop.
   */
  handOver(): Promise<void> {
    if (this.leaving === undefined) {
      this.leaving = deferred();
      this.dispatch({ type: 'pause' });
    }
    return this.leaving.promise;
  }

  private mayLeave(): boolean {
    return !this.writer.isWriting && (this.isOver || isSafe(this.state));
  }

  private leave({ resolve }: Deferred<void>): void {
    this.left = true;
    clearTimeout(this.clock);
    this.delay.giveUp();
    this.proposer.cancel();
    this.call?.abort();
    this.telemetry.end();
    this.answerRevokers();
    this.notify();
    this.answerSpeakers();
    resolve();
  }

  /**
   * Resolves when the ledger has recorded the revocation; later decisions include it. Also resolves where the run is
   * over.
   */
  revoke(revocation: Revocation): Promise<void> {
    this.dispatch({ type: 'revoked', ...revocation });
    const revoked = this.revokers.wait();
    this.answerRevokers();
    return revoked;
  }

  private answerRevokers(): void {
    const isDone = this.isOver || this.left;
    if (!isDone && (this.state.revoking !== undefined || this.state.pendingNotes > 0)) return;
    this.revokers.settle();
  }

  /** Resolves when the ledger has recorded the task: at once where the run rests, else after the current step. */
  say(task: string): Promise<Outcome<void>> {
    const heard = this.speakers.wait();
    this.dispatch({ type: 'say', task });
    // A run that is over or released has no later transition that would answer.
    this.answerSpeakers();
    return heard;
  }

  private answerSpeakers(): void {
    const { at, pendingTasks } = this.state;
    const lost = this.left
      ? refuse('run_open', { run_id: this.facts.run_id })
      : this.isOver && refuse('run_sealed', {});
    if (!lost && (pendingTasks.length > 0 || at.phase === 'MEMORY_COMMITTING')) return;
    this.speakers.settle(lost || pass(undefined));
  }

  /** Ends the run when the time of this turn is up. */
  watchClock(): void {
    clearTimeout(this.clock);
    const ending = { state: 'limit', code: 'limit_wall' } as const;
    this.clock = setTimeout(
      () => this.dispatch({ type: 'stop', ending }),
      Math.min(this.facts.limits.wallMs, 2 ** 31 - 1),
    );
    // In Node a timer keeps the process alive, and this timer must not.
    (this.clock as { unref?: () => void }).unref?.();
  }

  private perform(effect: RunEffect): void {
    switch (effect.type) {
      case 'propose':
        return this.guard(this.propose(effect));
      case 'check':
        return this.guard(this.check(effect));
      case 'resolve':
        return this.guard(this.resolve(effect));
      case 'load':
        return this.guard(this.load(effect));
      case 'ask':
        this.pending = effect.question;
        // A person may take days.
        return this.call?.park();
      case 'ask_consent':
        this.consent = effect.question;
        return;
      case 'execute':
        return this.guard(this.open(effect).begin(effect));
      case 'unpark':
        return this.guard(this.open(effect).goOn(effect));
      case 'power':
        return this.guard(this.call?.carry(effect));
      case 'answer_power':
        return this.call?.answer(effect.ticket, effect.answer);
      case 'answer_read':
        return this.call?.answerRead(effect);
      case 'append':
        return this.guard(this.append(effect));
      case 'note':
        return this.guard(this.note(effect));
      case 'cancel':
        this.delay.giveUp();
        this.proposer.cancel();
        return this.call?.abort();
      case 'end':
        return this.finish(effect);
      default:
        return unreachable(effect);
    }
  }

  /** Turns a defect of the runtime into a failed append, which ends the run: its later actions could not be trusted. */
  private guard(work: Promise<void> | undefined): void {
    work?.catch((error: unknown) => {
      const reason = error instanceof Error ? error.message : String(error);
      this.dispatch({ type: 'append_failed', reason });
    });
  }

  private async propose({ step, context, after_ms }: Of<'propose'>): Promise<void> {
    if (after_ms !== undefined && !(await this.delay.wait(after_ms))) return;
    const answer = await this.ask(this.state, context);
    if ('failed' in answer) return this.fail(step, answer);
    const { text, ...said } = answer;
    if (said.finish === 'length') this.noteCutOff(step);
    const bytes = typeof text === 'string' ? encodeText(text) : text;
    const { nonce, now } = this.ports;
    const salt = this.state.facts.registry.hasSecrets ? { salt: nonce() + nonce() } : {};
    this.dispatch({ type: 'proposed', step, bytes, answer: said, now: now(), nonce: nonce(), ...salt });
  }

  /** Adds the notice of a cut-off answer; the last notice replaces earlier notices. */
  private noteCutOff(step: number): void {
    const notice = answerCutOff(step, requestBounds(this.state.facts.limits).answerTokens);
    this.notices = [...this.notices.filter(({ code }) => code !== notice.code), notice];
  }

  /** Records the failure without the server's text, which may hold secrets. */
  private fail(step: number, { failed: code, error, retryable, afterMs, said }: ModelFailure): void {
    this.said = said;
    const later = afterMs === undefined ? {} : { after_ms: afterMs };
    this.dispatch({ type: 'model_failed', step, code, error, ...(retryable && { retryable }), ...later });
  }

  private async check({ step, schemas, text }: Of<'check'>): Promise<void> {
    const checks = schemas.map(async (hash) => [hash, await this.ports.schemas.check(hash, text)] as const);
    this.dispatch({ type: 'checked', step, results: new Map(await Promise.all(checks)) });
  }

  private open(effect: Of<'execute' | 'unpark'>): GuestCall {
    const host = {
      ports: this.ports,
      state: () => this.state,
      dispatch: (event: RunEvent) => this.dispatch(event),
      runner: this.runner,
    };
    this.call = new GuestCall(host, effect);
    return this.call;
  }

  private async resolve({ step, symbols }: Of<'resolve'>): Promise<void> {
    this.dispatch({ type: 'resolved', step, found: await this.ports.content.resolve(symbols) });
  }

  private async load({ step, path }: Of<'load'>): Promise<void> {
    this.dispatch({ type: 'loaded', step, ...(await this.ports.content.load(path)) });
  }

  /**
   * Appends records. A change of content blocks other changes from the check of the old text to the write of the new.
   */
  private async append(effect: Of<'append'>): Promise<void> {
    // Every task has its own time.
    if (effect.drafts.some(({ kind }) => kind === 'task')) this.watchClock();
    if (effect.content === undefined) return this.write(effect, 'appended');
    const held = await this.ports.content.hold(effect.content);
    if ('outdated' in held) return this.dispatch({ type: 'outdated', ...held.outdated });
    await this.write(effect, 'appended', held).finally(held.release);
  }

  private async note({ drafts, payloads }: Of<'note'>): Promise<void> {
    await this.write({ drafts, payloads, durability: 'strict' }, 'noted');
    this.answerRevokers();
  }

  private async write(
    effect: Omit<Of<'append'>, 'type'>,
    then: 'appended' | 'noted',
    held?: ContentHold,
  ): Promise<void> {
    const done = await this.writer.write(effect, effect.durability, held);
    if (!done.ok) return this.dispatch({ type: 'append_failed', reason: done.refusal.message });
    this.ports.grown(this.facts.run_id);
    this.fresh.push(...done.value);
    this.dispatch({ type: then });
  }

  private finish({ ending }: Of<'end'>): void {
    clearTimeout(this.clock);
    const told = ending.code === 'model_failed' && this.said !== undefined ? { said: this.said } : {};
    this.end = { ...ending, ...told, steps: this.state.steps, head: this.writer.head.head };
    this.ended.settle();
    this.answerRevokers();
  }

  private notify(): void {
    const records = this.fresh;
    this.fresh = [];
    const { state, pending, consent, end, left, said, notices } = this;
    const view = viewOf(state, { records: this.writer.head.records, pending, consent, end, left, said, notices });
    this.listener({ view, records });
  }
}
