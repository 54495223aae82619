import { isRead } from '../../../core/capability/built-in-power.ts';
import type { PowerAnswer } from '../../../core/capability/power.ts';
import { parkedKey } from '../../../core/run/powers/power-calls.ts';
import { isIntact, type ParkedCall, type PowerRequest, recordPowerCall } from '../../../sandbox/index.ts';
import { lossError } from '../../sandbox/call-driver.ts';
import type { CarryOut, ParkableCall } from '../../sandbox/port.ts';
import { powerError } from '../../sandbox/power-refusal.ts';
import { isSourceFault } from '../../sandbox/sandbox-memory.ts';
import { type CallHost, CallScope, type EffectOf } from './call-scope.ts';
import { GuestRequests } from './guest-requests.ts';
import { PagePowers } from './page-calls.ts';
import { NO_ANSWERS, type RuntimePowers, runtimePowers } from './runtime-powers.ts';

const NO_GUEST = { fuel: 0, console: [], powerCalls: [] } as const;

/**
 * A capability's call in a sandbox, from its start, or from its parked heap, to its end. It decides no permission: each
 * request of the guest goes to the run as an event, and the answer comes back as an effect.
 */
export class GuestCall {
  readonly #scope: CallScope;
  readonly #requests: GuestRequests;
  readonly #page: PagePowers;
  /** Made with the first request: most calls make no request. */
  #own: RuntimePowers | undefined;
  /** Answers of its powers, by ticket. */
  readonly #answers = new Map<number, Promise<string>>();
  #imageHash = '';
  #running: ParkableCall | undefined;
  #parked: ParkedCall | undefined;
  #isParking = false;
  #isOver = false;

  constructor(host: CallHost, effect: EffectOf<'execute' | 'unpark'>) {
    this.#scope = new CallScope(host, effect);
    this.#requests = new GuestRequests(this.#scope);
    this.#scope.touched = () => this.#touched();
    this.#page = new PagePowers(this.#scope, (wanted) => this.#requests.check(wanted));
  }

  async begin({ args, seed, now, heapHash = false }: EffectOf<'execute'>): Promise<void> {
    const isLoaded = await this.#load();
    // The run was aborted while the image was made; a guest started now would hold the worker until its deadline.
    if (!isLoaded || this.#isOver) return;
    const { host, call } = this.#scope;
    const { hash } = call.capability;
    const scope = host.state().facts.run_id;
    await this.#drive(host.ports.sandbox.call({ hash, args, seed, now, heapHash, scope }, this.#carryOut));
  }

  /** Continues a call that an earlier process parked, if its heap is intact and was made of this image. */
  async goOn({ digest, image_hash, touched }: EffectOf<'unpark'>): Promise<void> {
    const { host, step } = this.#scope;
    const row = await host.ports.store.get('kept', parkedKey(host.state().facts.run_id));
    const isLoaded = await this.#load();
    if (!isLoaded || this.#isOver) return;
    const kept: unknown = row.ok ? row.value : undefined;
    if (this.#imageHash !== image_hash || !isIntact(kept, digest)) {
      this.#isOver = true;
      return host.dispatch({ type: 'lost', step });
    }
    this.#own = runtimePowers(this.#scope, this.#requests, { calls: kept.state.answered, touched });
    await this.#resume(kept);
  }

  /** Gives the guest an answer that the run has recorded where it must. */
  answer(ticket: number, answer: PowerAnswer): void {
    this.#page.forget(ticket);
    this.#requests.answerPower(ticket, answer);
    this.#goOnWhenAnswered();
  }

  /** Passes on the run's decision about content that the guest asked for. */
  answerRead(effect: EffectOf<'answer_read'>): void {
    this.#requests.answerRead(effect);
  }

  carry(effect: EffectOf<'power'>): Promise<void> {
    return this.#page.carryOut(effect, () => this.park());
  }

  /** Parks the call as soon as it waits: takes it out of the sandbox and has its heap stored. */
  park(): void {
    if (this.#isParking || this.#parked !== undefined || this.#isOver) return;
    this.#isParking = true;
    void this.#takeOut();
  }

  async #takeOut(): Promise<void> {
    const parked = await this.#running?.park();
    this.#isParking = false;
    if (this.#isOver) return;
    const { host, step, labels } = this.#scope;
    if (parked === undefined) return host.dispatch({ type: 'park_failed', step });
    this.#parked = parked;
    const [{ digest }, touched, image_hash] = [parked, this.#touched(), this.#imageHash];
    const reads = this.#scope.takeReads();
    host.dispatch({ type: 'parked', step, image_hash, digest, labels, touched, reads, kept: parked });
    this.#goOnWhenAnswered();
  }

  /** Aborts the call and its powers. */
  abort(): void {
    if (this.#isOver) return;
    this.#end();
    this.#running?.abort();
  }

  #end(): void {
    this.#isOver = true;
    this.#page.cancelAll();
  }

  /**
   * False where the sandbox refuses the source, which its registration had accepted from memory: the capability is then
   * disabled, which ends this call. False too where the sandbox has no worker: the call ends, and never ran.
   */
  async #load(): Promise<boolean> {
    const { host, call } = this.#scope;
    const { hash, manifest } = call.capability;
    try {
      this.#imageHash = (await host.ports.sandbox.load({ hash, ...manifest })).imageHash;
      return true;
    } catch (error) {
      if (isSourceFault(error)) host.disable(hash);
      else this.#endWithout(error);
      return false;
    }
  }

  #endWithout(error: unknown): void {
    if (this.#isOver) return;
    this.#end();
    const { host, step, call } = this.#scope;
    const settled = { ok: false, kind: 'worker', error: lossError(error), ...NO_GUEST } as const;
    // no image was made: the hash of the definition stands for it
    host.dispatch({ type: 'settled', step, settled, image_hash: this.#imageHash || call.capability.hash });
  }

  readonly #carryOut: CarryOut = (name, args, ticket) => {
    this.#own ??= runtimePowers(this.#scope, this.#requests, NO_ANSWERS);
    const own = this.#own.powers.get(name);
    if (own === undefined) return this.#requests.power(name, args, ticket);
    // a call that was parked repeats its open requests: each is carried out, and charged, once
    const before = this.#answers.get(ticket);
    if (before !== undefined) return before;
    const answer = own(args, ticket);
    this.#answers.set(ticket, answer);
    if (isRead(name)) void this.#note(answer, { ticket, name, args });
    return answer;
  };

  /** Notes a settled read for the next record of the call. */
  async #note(answer: Promise<string>, request: PowerRequest): Promise<void> {
    const given = await answer.then(
      (text) => ({ ok: true, text }) as const,
      (error: unknown) => ({ ok: false, error: powerError(error) }) as const,
    );
    const read = recordPowerCall(request, given, this.#scope.call.capability.manifest.limits.bytesIn);
    if (read.ok) this.#scope.hasRead({ ticket: request.ticket, call: read.call });
  }

  #touched(): readonly string[] {
    return this.#own?.touched() ?? [];
  }

  async #drive(running: ParkableCall): Promise<void> {
    this.#running = running;
    const settled = await running.settled;
    // A parked call stays open until it is resumed; a later settlement belongs to the resumed call.
    if (this.#isOver || this.#running !== running) return;
    this.#end();
    const { host, step, labels } = this.#scope;
    const [touched, image_hash] = [this.#touched(), this.#imageHash];
    host.dispatch({ type: 'settled', step, settled, image_hash, labels, touched });
  }

  async #resume(parked: ParkedCall): Promise<void> {
    this.#parked = undefined;
    const { host, call } = this.#scope;
    const { hash } = call.capability;
    const scope = host.state().facts.run_id;
    await this.#drive(host.ports.sandbox.resume({ hash, parked, digest: parked.digest, scope }, this.#carryOut));
  }

  /** Answers reach the guest in the order of its requests, so the call resumes when the oldest request is answered. */
  #goOnWhenAnswered(): void {
    const oldest = this.#parked?.state.open[0]?.ticket;
    if (this.#parked === undefined || oldest === undefined || !this.#requests.isAnswered(oldest)) return;
    const { host, step } = this.#scope;
    this.#resume(this.#parked).catch(() => host.dispatch({ type: 'lost', step }));
  }
}
