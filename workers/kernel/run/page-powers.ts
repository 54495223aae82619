import { type HostAnswer, timeoutOf } from '../../../core/capability/power.ts';
import { resultChecks } from '../../../core/run/powers/power-text.ts';
import { openStep } from '../../../core/run/step.ts';
import type { PowerRunner } from '../../ports.ts';
import type { CallScope, EffectOf } from './call-scope.ts';
import type { GuestRequests } from './guest-requests.ts';

/** A power that is being carried out: its runner and its timers. */
interface RunningPower {
  readonly runner: PowerRunner | undefined;
  readonly timers: readonly ReturnType<typeof setTimeout>[];
}

/** A power that answers sooner costs less than parking and resuming the call. */
const PARK_AFTER_MS = 2_000;

/** Powers of the page that are being carried out for a call. A function of the page may take any time or never answer. */
export class PagePowers {
  readonly #scope: CallScope;
  readonly #check: GuestRequests['check'];
  readonly #running = new Map<number, RunningPower>();

  constructor(scope: CallScope, check: GuestRequests['check']) {
    this.#scope = scope;
    this.#check = check;
  }

  /** Carries out a power, and calls `park` where it takes long. */
  async carryOut({ ticket, power, args }: EffectOf<'power'>, park: () => void): Promise<void> {
    const { host, step } = this.#scope;
    const { name } = power.manifest;
    const runner = host.runner(power.hash);
    const timers = [setTimeout(park, PARK_AFTER_MS), setTimeout(() => this.#giveUp(ticket), timeoutOf(power))];
    this.#running.set(ticket, { runner, timers });
    const use = { step_id: openStep(host.state())?.step_id ?? '', ticket };
    const answer =
      runner === undefined ? missing(name) : await runner.carryOut(this.#idOf(ticket), args, use).catch(() => LOST);
    const wanted = answer.ok ? resultChecks(host.state(), power, answer.text) : undefined;
    const checked = wanted === undefined ? undefined : (await this.#check(wanted)).values().next().value;
    const event = { type: 'power_answered', step, ticket, answer } as const;
    host.dispatch(checked === undefined ? event : { ...event, checked });
  }

  /** Ends a power that exceeds its deadline. A later answer of the page is ignored. */
  #giveUp(ticket: number): void {
    const { host, step } = this.#scope;
    this.#running.get(ticket)?.runner?.cancel(this.#idOf(ticket));
    host.dispatch({ type: 'power_answered', step, ticket, answer: 'timeout' });
  }

  /** Stops the timers of a power. */
  forget(ticket: number): void {
    for (const timer of this.#running.get(ticket)?.timers ?? []) clearTimeout(timer);
    this.#running.delete(ticket);
  }

  cancelAll(): void {
    for (const [ticket, { runner }] of this.#running) runner?.cancel(this.#idOf(ticket));
    for (const ticket of this.#running.keys()) this.forget(ticket);
  }

  #idOf(ticket: number): string {
    return `${this.#scope.host.state().facts.run_id}:${this.#scope.step}:${ticket}`;
  }
}

function missing(name: string): HostAnswer {
  return { ok: false, error: { name: 'power_unknown', message: `The power ${name} is not provided here` } };
}

/** Answer of a program that cannot be reached any more. */
const LOST: HostAnswer = { ok: false, threw: true };
