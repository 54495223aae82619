import { type ContentPower, EXPAND, SEARCH } from '../../core/capability/built-in-power.ts';
import type { SchemaVerdict } from '../../core/capability/check.ts';
import type { Label } from '../../core/capability/guard.ts';
import { type PowerAnswer, timeoutOf } from '../../core/capability/power.ts';
import { type Outcome, pass } from '../../core/outcome.ts';
import { uncommittedChanges } from '../../core/run/commit/storage.ts';
import type { RunEffect } from '../../core/run/effect.ts';
import type { ReadArguments, RunEvent } from '../../core/run/event.ts';
import { allowance } from '../../core/run/execute/expansions.ts';
import { parkedKey } from '../../core/run/powers/power-calls.ts';
import { type PowerChecks, powerChecks, resultChecks } from '../../core/run/powers/power-text.ts';
import { readChecks } from '../../core/run/powers/reading.ts';
import type { RunState } from '../../core/run/state.ts';
import { isIntact, type ParkedCall } from '../../sandbox/index.ts';
import { type Deferred, deferred } from '../async/deferred.ts';
import type { RunContent } from '../content/run-content.ts';
import { withWritten } from '../content/written.ts';
import type { Ports, PowerRunner } from '../ports.ts';
import type { CarryOut, ParkableCall } from '../sandbox/port.ts';
import { type HostPower, type HostPowers, hostPowers } from './built-in-powers.ts';
import { type EarlierAnswers, expandingPower } from './expand-power.ts';
import { searchingPower } from './search-power.ts';

type Of<T extends RunEffect['type']> = Extract<RunEffect, { type: T }>;
type CallEffect = Of<'execute' | 'unpark'>;

/** The run that a call belongs to. */
export interface CallHost {
  readonly ports: Ports & { readonly content: RunContent };
  readonly state: () => RunState;
  readonly dispatch: (event: RunEvent) => void;
  /** Runner of the page's power with this hash; undefined when the page that resumed the run does not provide it. */
  readonly runner: (power_hash: string) => PowerRunner | undefined;
}

/** A power that is being carried out: its runner and its timers. */
interface RunningPower {
  readonly runner: PowerRunner | undefined;
  readonly timers: readonly ReturnType<typeof setTimeout>[];
}

/** A power that answers sooner costs less than parking and resuming the call. */
const PARK_AFTER_MS = 2_000;

/**
 * A capability's call in a sandbox, from its start, or from its parked heap, to its end. It decides no permission: each
 * request of the guest goes to the run as an event, and the answer comes back as an effect.
 */
export class GuestCall {
  private readonly host: CallHost;
  private readonly step: number;
  private readonly call: CallEffect['call'];
  /** The page's powers that the guest waits for, by ticket. */
  private readonly waiting = new Map<number, Deferred<PowerAnswer>>();
  private readonly answered = new Set<number>();
  /** Content that the guest has asked for and the run has not decided about, by ticket. */
  private readonly reading = new Map<number, Deferred<Outcome<void>>>();
  /** Powers that are being carried out. */
  private readonly carried = new Map<number, RunningPower>();
  private labels: readonly Label[] = [];
  /** The runtime's powers, made with the first request: most calls make no request. */
  private own: HostPowers | undefined;
  private touched: () => readonly string[] = () => [];
  private imageHash = '';
  private running: ParkableCall | undefined;
  private parked: ParkedCall | undefined;
  private parking = false;
  private over = false;

  constructor(host: CallHost, { step, call }: CallEffect) {
    this.host = host;
    this.step = step;
    this.call = call;
  }

  async begin({ args, seed, now, heapHash = false }: Of<'execute'>): Promise<void> {
    await this.load();
    // The run was aborted while the image was made; a guest started now would hold the worker until its deadline.
    if (this.over) return;
    const { hash } = this.call.capability;
    await this.drive(this.host.ports.sandbox.call({ hash, args, seed, now, heapHash }, this.carryOut));
  }

  /** Continues a call that an earlier process parked, if its heap is intact and was made of this image. */
  async goOn({ digest, image_hash, touched }: Of<'unpark'>): Promise<void> {
    const { ports, state } = this.host;
    const row = await ports.store.get('kept', parkedKey(state().facts.run_id));
    await this.load();
    if (this.over) return;
    const kept: unknown = row.ok ? row.value : undefined;
    if (this.imageHash !== image_hash || !isIntact(kept, digest)) {
      this.over = true;
      return this.host.dispatch({ type: 'lost', step: this.step });
    }
    this.own = this.powers({ calls: kept.state.answered, touched });
    await this.resume(kept);
  }

  /** Gives the guest an answer that the run has recorded where it must. */
  answer(ticket: number, answer: PowerAnswer): void {
    this.forget(ticket);
    this.answered.add(ticket);
    this.waiting.get(ticket)?.resolve(answer);
    this.goOnWhenAnswered();
  }

  /** Carries out a power of the page, whose function may take any time or never answer. */
  async carry({ ticket, power, args }: Of<'power'>): Promise<void> {
    const runner = this.host.runner(power.hash);
    const timers = [
      setTimeout(() => this.park(), PARK_AFTER_MS),
      setTimeout(() => this.giveUp(ticket), timeoutOf(power)),
    ];
    this.carried.set(ticket, { runner, timers });
    const missing = { name: 'power_unknown', message: `The power ${power.manifest.name} is not provided here` };
    const answer =
      runner === undefined
        ? ({ ok: false, error: missing } as const)
        : await runner.carryOut(this.idOf(ticket), args).catch(broken);
    const wanted = answer.ok ? resultChecks(this.host.state(), power.manifest.name, answer.text) : undefined;
    const checked = wanted === undefined ? undefined : (await this.check(wanted)).values().next().value;
    const event = { type: 'power_answered', step: this.step, ticket, answer } as const;
    this.host.dispatch(checked === undefined ? event : { ...event, checked });
  }

  /** Ends a power that exceeds its deadline. A later answer of the page is ignored. */
  private giveUp(ticket: number): void {
    this.carried.get(ticket)?.runner?.cancel(this.idOf(ticket));
    this.host.dispatch({ type: 'power_answered', step: this.step, ticket, answer: 'timeout' });
  }

  /** Parks the call as soon as it waits: takes it out of the sandbox and has its heap stored. */
  park(): void {
    if (this.parking || this.parked !== undefined || this.over) return;
    this.parking = true;
    void this.takeOut();
  }

  private async takeOut(): Promise<void> {
    const parked = await this.running?.park();
    this.parking = false;
    if (parked === undefined || this.over) return;
    this.parked = parked;
    const { step, labels, imageHash: image_hash } = this;
    const { digest } = parked;
    this.host.dispatch({ type: 'parked', step, image_hash, digest, labels, touched: this.touched(), kept: parked });
    this.goOnWhenAnswered();
  }

  /** Aborts the call and its powers. */
  abort(): void {
    if (this.over) return;
    this.end();
    this.running?.abort();
  }

  /** Marks the call as over, and cancels its powers. */
  private end(): void {
    this.over = true;
    for (const [ticket, { runner }] of this.carried) runner?.cancel(this.idOf(ticket));
    for (const ticket of this.carried.keys()) this.forget(ticket);
  }

  private async load(): Promise<void> {
    const { hash, manifest } = this.call.capability;
    this.imageHash = (await this.host.ports.sandbox.load({ hash, ...manifest })).imageHash;
  }

  private powers(before: EarlierAnswers = { calls: [], touched: [] }): HostPowers {
    const shows = (labels: readonly Label[]): void => void (this.labels = [...new Set([...this.labels, ...labels])]);
    const capability = this.call.capability.manifest.name;
    const { state, ports } = this.host;
    const { files, kept } = uncommittedChanges(state());
    const own = hostPowers(ports, { capability, shows, kept, before: before.calls });
    const content = withWritten(ports.content, files);
    const { run_id } = state().facts;
    const { power, touched } = expandingPower({
      before,
      content,
      run_id,
      shows,
      permit: (ticket, args) => this.mayRead(EXPAND, ticket, args),
      allowance: () => allowance(state()),
    });
    this.touched = touched;
    const reading: { readonly [N in ContentPower]: HostPower } = {
      [EXPAND]: power,
      [SEARCH]: searchingPower({ content, shows, permit: (ticket) => this.mayRead(SEARCH, ticket) }),
    };
    return new Map([...own, ...Object.entries(reading)]);
  }

  private readonly carryOut: CarryOut = (name, args, ticket) => {
    this.own ??= this.powers();
    const own = this.own.get(name);
    return own === undefined ? this.ask(name, args, ticket) : own(args, ticket);
  };

  /** Asks the run for a power. A parked call asks again under the same ticket, and then waits for the same answer. */
  private async ask(name: string, args: string, ticket: number): Promise<string> {
    const before = this.waiting.get(ticket);
    const waiting = before ?? deferred<PowerAnswer>();
    this.waiting.set(ticket, waiting);
    if (before === undefined) await this.put(name, args, ticket);
    const answer = await waiting.promise;
    if (answer.ok) return answer.text;
    throw Object.assign(new Error(answer.error.message), { name: answer.error.name });
  }

  /** Asks the run for a READ's permission. */
  private async mayRead(name: ContentPower, ticket: number, args?: ReadArguments): Promise<Outcome<void>> {
    const { ports, state, dispatch } = this.host;
    const checked = args === undefined ? new Map() : await this.check(readChecks(state(), args));
    const waiting = deferred<Outcome<void>>();
    this.reading.set(ticket, waiting);
    const { labels, step } = this;
    const asked = { type: 'read_asked', step, ticket, name, checked, labels, now: ports.now() } as const;
    dispatch(args === undefined ? asked : { ...asked, args });
    return waiting.promise;
  }

  /** Passes on the run's decision about content that the guest asked for. */
  answerRead({ ticket, refusal }: Of<'answer_read'>): void {
    this.reading.get(ticket)?.resolve(refusal === undefined ? pass(undefined) : { ok: false, refusal });
    this.reading.delete(ticket);
  }

  private async put(name: string, args: string, ticket: number): Promise<void> {
    const { ports, state, dispatch } = this.host;
    const wanted = powerChecks(state(), name, args);
    const checked = wanted === undefined ? new Map() : await this.check(wanted);
    const { labels, step } = this;
    dispatch({ type: 'power_asked', step, ticket, name, args, checked, labels, now: ports.now() });
  }

  private async check({ schemas, text, here }: PowerChecks): Promise<ReadonlyMap<string, SchemaVerdict>> {
    const checks = schemas.map(async (hash) => [hash, await this.host.ports.schemas.check(hash, text)] as const);
    return new Map([...here, ...(await Promise.all(checks))]);
  }

  private async drive(running: ParkableCall): Promise<void> {
    this.running = running;
    const settled = await running.settled;
    // A parked call stays open until it is resumed; a later settlement belongs to the resumed call.
    if (this.over || this.running !== running) return;
    this.end();
    const { step, labels } = this;
    const touched = this.touched();
    this.host.dispatch({ type: 'settled', step, settled, image_hash: this.imageHash, labels, touched });
  }

  private async resume(parked: ParkedCall): Promise<void> {
    this.parked = undefined;
    const { hash } = this.call.capability;
    await this.drive(this.host.ports.sandbox.resume(hash, parked, parked.digest, this.carryOut));
  }

  /** Answers reach the guest in the order of its requests, so the call resumes when the oldest request is answered. */
  private goOnWhenAnswered(): void {
    const { parked } = this;
    const oldest = parked?.state.open[0]?.ticket;
    if (parked === undefined || oldest === undefined || !this.answered.has(oldest)) return;
    this.resume(parked).catch(() => this.host.dispatch({ type: 'lost', step: this.step }));
  }

  private forget(ticket: number): void {
    for (const timer of this.carried.get(ticket)?.timers ?? []) clearTimeout(timer);
    this.carried.delete(ticket);
  }

  private idOf(ticket: number): string {
    return `${this.host.state().facts.run_id}:${this.step}:${ticket}`;
  }
}

function broken(error: unknown): PowerAnswer {
  const { name, message } = error instanceof Error ? error : { name: 'Error', message: String(error) };
  return { ok: false, error: { name, message } };
}
