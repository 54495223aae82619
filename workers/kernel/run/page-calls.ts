import type { SettledCall, ToldFacts } from '../../../core/capability/call.ts';
import { joined } from '../../../core/capability/guard.ts';
import { type HostAnswer, timeoutOf } from '../../../core/capability/power.ts';
import { isWord } from '../../../core/ledger/form.ts';
import { resultChecks } from '../../../core/run/powers/power-text.ts';
import { openStep } from '../../../core/run/step.ts';
import type { FailedCheck } from '../../../core/tool-error.ts';
import type { PowerRunner } from '../../ports.ts';
import { type CallHost, CallScope, type EffectOf } from './call-scope.ts';
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

type Failure = Extract<SettledCall, { ok: false }>;

/** A tool's call costs no fuel, prints nothing and uses no power: the program carries it out, and no guest does. */
const NO_GUEST = { fuel: 0, console: [], powerCalls: [] } as const;

/**
 * A call of a tool, which the embedding program carries out. The run has recorded its intent. The call settles once: by
 * the program's answer, or by its deadline. A later answer is ignored.
 */
export class ToolCall {
  readonly #scope: CallScope;
  readonly #id: string;
  #runner: PowerRunner | undefined;
  #deadline: ReturnType<typeof setTimeout> | undefined;
  #isOver = false;

  constructor(host: CallHost, effect: EffectOf<'execute'>) {
    this.#scope = new CallScope(host, effect);
    const { facts } = host.state();
    // the operations of a message share its step
    this.#id = `${facts.run_id}:${effect.step}:${effect.args}`;
  }

  async begin({ args }: EffectOf<'execute'>): Promise<void> {
    const { host, call } = this.#scope;
    const { hash, manifest } = call.capability;
    this.#runner = host.runner(hash);
    if (this.#runner === undefined) return this.#settle({ ok: false, kind: 'gone', ...NO_GUEST });
    const { deadlineMs } = manifest.limits;
    this.#deadline = setTimeout(() => this.#giveUp(), deadlineMs);
    const step_id = openStep(host.state())?.step_id ?? '';
    const use = { step_id, ...(manifest.host?.reverts !== undefined && { reverts: true as const }) };
    const answer = await this.#runner.carryOut(this.#id, args, use).catch(() => LOST);
    this.#settle(settledBy(answer), toldBy(answer));
  }

  /** Tells the program that its answer is not wanted any more. */
  abort(): void {
    if (this.#isOver) return;
    this.#end();
    this.#runner?.cancel(this.#id);
  }

  #giveUp(): void {
    this.#runner?.cancel(this.#id);
    this.#settle({ ok: false, kind: 'deadline', ...NO_GUEST });
  }

  #settle(settled: SettledCall, told?: ToldFacts): void {
    if (this.#isOver) return;
    this.#end();
    const { host, step, call } = this.#scope;
    // a tool has no image: its own hash stands for the code that answered
    host.dispatch({ type: 'settled', step, settled, ...(told && { told }), image_hash: call.capability.hash });
  }

  #end(): void {
    this.#isOver = true;
    clearTimeout(this.#deadline);
  }
}

function settledBy(answer: HostAnswer): SettledCall {
  if (answer.ok) return { ok: true, text: answer.text, ...NO_GUEST };
  if ('threw' in answer) return { ok: false, kind: 'program', ...NO_GUEST };
  if ('check' in answer) return { ok: false, ...settledCheck(answer.check), ...NO_GUEST };
  const kind: Failure['kind'] = answer.notJson === true ? 'result' : 'threw';
  const { name, message } = answer.error;
  return { ok: false, kind, error: { name: clip(name, 64), message: clip(message, 1024) }, ...NO_GUEST };
}

/** The facts of a program, as far as a record can have them. */
function toldBy({ told: { answer, repeated, labels: said } = {} }: HostAnswer): ToldFacts {
  const isCode = typeof repeated === 'string' && isWord(repeated);
  const labels = Array.isArray(said) ? joined(said) : [];
  return {
    ...(labels.length > 0 && { labels }),
    ...(typeof answer === 'string' && { answer }),
    ...(isCode && { repeated }),
  };
}

function settledCheck({ part, issues }: FailedCheck) {
  if (part === 'transformed') return { kind: 'args_transformed' } as const;
  return { kind: `${part}_refused`, issues } as const;
}

/** The text of an error is a stranger's, and goes into the records. */
function clip(text: string, units: number): string {
  return String(text).slice(0, units).toWellFormed();
}
