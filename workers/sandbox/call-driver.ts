import { endsCall, isContentPower } from '../../core/capability/built-in-power.ts';
import type { CallFailureKind, CallSettled, PowerCall } from '../../core/capability/call.ts';
import type { GuestError } from '../../core/errors/details.ts';
import type { CallLimits } from '../../core/limits.ts';
import { SallyportError } from '../../core/sallyport-error.ts';
import {
  type CallStep,
  type ParkedCall,
  type PowerAnswer,
  type PowerRequest,
  recordPowerCall,
} from '../../sandbox/index.ts';
import { deferred, makeDelay } from '../async.ts';
import { thrownError } from '../thrown.ts';
import type { CarryOut } from './port.ts';
import { powerError } from './power-refusal.ts';
import type { SandboxRemote } from './remote.ts';
import { Repetitions, type SandboxWorker, WorkerLostError } from './worker-set.ts';

/** A call and the services of its pool. */
export interface CallSetup {
  readonly limits: CallLimits;
  /** Names of the powers that the capability declares. */
  readonly declared: readonly string[];
  readonly powers: CarryOut | undefined;
  readonly watchMs: number;
  /** Resolves when the call is to end, at whatever point it is. */
  readonly stopped: Promise<unknown>;
  /** Runs the first turn, under the number of the call in its worker. */
  readonly start: (remote: SandboxRemote, number: number) => Promise<CallStep>;
  /** Results of the power calls before the first turn. */
  readonly answered: readonly PowerCall[];
  /** True where the run of the call does not start its capability again, because it hung in that run. */
  isBarred(): boolean;
  /** Time in ms until the run may start a call. */
  waitMs(): number;
  /** Uses a free worker with the call's realm loaded, in which no other call begins meanwhile. */
  inWorker<T>(use: (worker: SandboxWorker) => Promise<T>): Promise<T>;
  hung(): void;
}

interface CallHandle {
  readonly settled: Promise<CallSettled>;
  park(): Promise<ParkedCall | undefined>;
}

interface GuestQuestion {
  readonly request: PowerRequest;
  readonly answer: Promise<PowerAnswer>;
}

interface GivenAnswer {
  readonly ticket: number;
  readonly answer: PowerAnswer;
}

/**
 * Time for a running guest to end by itself after a stop. It cannot receive messages, so its worker is then terminated,
 * and waiting calls go on.
 */
const STOP_GRACE_MS = 150;

/** Last number of a call. No two calls of a thread have the same number, in whichever worker they run. */
let calls = 0;

/** Drives a call to its end, or until it is parked. */
export function drive(call: CallSetup): CallHandle {
  const running = new CallDriver(call);
  return { settled: running.settled, park: () => running.park() };
}

class CallDriver {
  /** Never rejects; stays open when the call is parked. */
  readonly settled: Promise<CallSettled>;
  readonly #call: CallSetup;
  readonly #number: number = ++calls;
  readonly #repetitions = new Repetitions(['mute']);
  readonly #parking = deferred<undefined>();
  readonly #parked = deferred<ParkedCall | undefined>();
  #answered: readonly PowerCall[];
  /** Answers that the guest has received since its first turn. */
  #given: readonly GivenAnswer[] = [];
  #open: readonly GuestQuestion[] = [];
  /** Whether the newest request for content, and every one before it, leaves the call open. */
  #clear: Promise<boolean> | undefined;
  /** The worker that has this call's heap. */
  #worker: SandboxWorker | undefined;
  /** True while that worker runs this call's guest. */
  #inside = false;
  #stopped = false;
  /** The call is too large to be parked. */
  #stays = false;

  constructor(call: CallSetup) {
    this.#call = call;
    this.#answered = call.answered;
    const ended = this.#run().catch((error: unknown) =>
      error instanceof EarlyEnd ? error.settled : this.#lossOf(error),
    );
    this.settled = Promise.race([ended, call.stopped.then(() => this.#failed('aborted'))]);
    void this.settled.then(() => this.#parked.resolve(undefined));
    void call.stopped.then(() => this.#stop());
  }

  park(): Promise<ParkedCall | undefined> {
    this.#parking.resolve(undefined);
    return this.#parked.promise;
  }

  async #run(): Promise<CallSettled> {
    if (this.#call.isBarred()) return this.#failed('barred');
    for (let ms = this.#call.waitMs(); ms > 0; ms = this.#call.waitMs()) {
      await this.#rest(ms);
      if (this.#stopped) return this.#failed('aborted');
    }
    return this.#goOn(await this.#enter());
  }

  /** Waits, at most until the call is stopped. */
  async #rest(ms: number): Promise<void> {
    const delay = makeDelay();
    await Promise.race([delay.wait(ms), this.#call.stopped]);
    delay.giveUp();
  }

  /** Stops the call: a waiting turn never begins; a running turn has a moment to end by itself. */
  #stop(): void {
    this.#stopped = true;
    setTimeout(() => this.#inside && this.#worker?.terminate(), STOP_GRACE_MS);
  }

  /**
   * Brings the call to the state after its last answer, in a live worker. A worker may be terminated because of another
   * call in it. The same start and the same answers give the same heap in the next worker, and no power acts twice.
   */
  async #enter(): Promise<CallStep> {
    try {
      return await this.#call.inWorker((worker) => this.#enterIn(worker));
    } catch (error) {
      if (this.#repetitions.mayFollow(error)) return this.#enter();
      throw error;
    }
  }

  async #enterIn(worker: SandboxWorker): Promise<CallStep> {
    this.#worker = worker;
    let step = await this.#turn((remote) => this.#call.start(remote, this.#number));
    void this.#call.stopped.then(() => this.#leave(worker));
    for (const given of this.#given) step = await this.#turn((remote) => this.#give(remote, given));
    return step;
  }

  /**
   * Carries out powers at once and side by side. Their answers go back in the order of the questions, a single answer
   * for each turn.
   */
  async #goOn(step: CallStep): Promise<CallSettled> {
    if (step.done) return step.settled;
    if (!step.requests.every(({ name }) => this.#call.declared.includes(name))) return this.#takenOver();
    const asked = step.requests.map((request) => ({ request, answer: this.#ask(request) }));
    this.#open = [...this.#open, ...asked];
    const [next, ...later] = this.#open;
    if (next === undefined) return this.#takenOver();
    const answer = (await Promise.race([next.answer, this.#parking.promise])) ?? (await this.#parkOr(next.answer));
    const recorded = recordPowerCall(next.request, answer, this.#call.limits.bytesIn);
    const given = { ticket: next.request.ticket, answer };
    const after = await this.#next((remote) => this.#give(remote, given));
    this.#open = later;
    this.#given = [...this.#given, given];
    if (recorded.ok) this.#answered = [...this.#answered, recorded.call];
    return this.#goOn(after);
  }

  /**
   * Carries out a power when no earlier one can end the call any more: a power that the guest asks for behind an
   * expansion is not issued where that expansion fails.
   */
  #ask(request: PowerRequest): Promise<PowerAnswer> {
    const answer =
      this.#clear === undefined ? carryOut(this.#call.powers, request) : this.#askBehind(this.#clear, request);
    if (isContentPower(request.name)) this.#clear = answer.then((given) => staysOpen(request, given));
    return answer;
  }

  async #askBehind(clear: Promise<boolean>, request: PowerRequest): Promise<PowerAnswer> {
    // the answer of the power that ends the call comes first, so that this one is not waited for
    return (await clear) ? carryOut(this.#call.powers, request) : new Promise<never>(() => undefined);
  }

  /** Runs the next turn, in the worker with the heap or in a worker that rebuilds it. */
  async #next<T>(run: (remote: SandboxRemote) => Promise<T>): Promise<T> {
    try {
      return await this.#turn(run);
    } catch (error) {
      if (!this.#repetitions.mayFollow(error)) throw error;
      const step = await this.#enter();
      // a repeated call can only end early by the wall clock: all other inputs are the same
      if (step.done) throw new EarlyEnd(step.settled);
      return this.#next(run);
    }
  }

  #give(remote: SandboxRemote, { ticket, answer }: GivenAnswer): Promise<CallStep> {
    return remote.resume(this.#number, ticket, answer);
  }

  async #turn<T>(run: (remote: SandboxRemote) => Promise<T>): Promise<T> {
    if (this.#worker === undefined) throw new WorkerLostError('unbegun');
    try {
      return await this.#worker.turn(this.#call.watchMs, (remote) => {
        if (this.#stopped) throw new WorkerLostError('gone');
        this.#inside = true;
        return run(remote);
      });
    } finally {
      this.#inside = false;
    }
  }

  /** Parks the call, and then never resolves. A call too large to be stored waits on for its answer. */
  async #parkOr<T>(answer: Promise<T>): Promise<T> {
    const parked = this.#stays ? undefined : await this.#next((remote) => remote.park(this.#number));
    this.#parked.resolve(parked);
    this.#stays = parked === undefined;
    return this.#stays ? answer : new Promise<never>(() => undefined);
  }

  /** The sandbox makes no request for an undeclared power: another program has taken its worker over. */
  #takenOver(): CallSettled {
    this.#worker?.terminate();
    return this.#failed('corrupt');
  }

  #lossOf(error: unknown): CallSettled {
    if (!(error instanceof WorkerLostError)) return this.#failed('worker', lossError(error));
    if (error.how === 'memory') return this.#failed('corrupt');
    if (error.how !== 'hang') return this.#failed('worker', { name: 'WorkerLost', message: error.reason });
    this.#call.hung();
    return this.#failed('hang');
  }

  #failed(kind: CallFailureKind, error?: GuestError): CallSettled {
    const told = error && { error };
    return { ok: false, kind, ...told, fuel: 0, console: [], powerCalls: this.#answered };
  }

  #leave(worker: SandboxWorker): void {
    worker.turn(this.#call.watchMs, (remote) => remote.drop(this.#number)).catch(() => undefined);
  }
}

/** An open call goes on behind this answer. */
function staysOpen({ name }: PowerRequest, answer: PowerAnswer): boolean {
  return answer.ok || !endsCall({ name, error: answer.error });
}

/** Thrown when a repeated call ends before it reaches its last answer. */
class EarlyEnd extends Error {
  override readonly name = 'Ended';
  readonly settled: CallSettled;

  constructor(settled: CallSettled) {
    super();
    this.settled = settled;
  }
}

/** The code of our own error stands in the place of its name. */
export function lossError(error: unknown): GuestError {
  return error instanceof SallyportError ? { name: error.code, message: error.message } : thrownError(error);
}

/** Asks a power of the page, which may throw any value and return any value. */
async function carryOut(powers: CarryOut | undefined, { name, args, ticket }: PowerRequest): Promise<PowerAnswer> {
  try {
    if (powers === undefined) throw new TypeError(`power ${name} is not provided`);
    return { ok: true, text: await powers(name, args, ticket) };
  } catch (error) {
    return { ok: false, error: powerError(error) };
  }
}

/**
 * Bound on the kills of a run. A terminated thread lives on for a while: two seconds of a core in Chromium, without
 * end in WebKit. Killing without a bound would be a denial of service.
 */
export interface KillBudget {
  /** Hangs of a capability in a run after which the run does not start it again. */
  readonly perCapability: number;
  /** Kills of a run within `windowMs` after which its next call waits. */
  readonly kills: number;
  readonly windowMs: number;
}

export const BROWSER_KILLS: KillBudget = { perCapability: 1, kills: 2, windowMs: 5000 };
/** Threads of Node end at once, so the caller decides about hangs. */
export const NODE_KILLS: KillBudget = { perCapability: Infinity, kills: Infinity, windowMs: 1 };

interface Charge {
  readonly hangs: Map<string, number>;
  recent: readonly number[];
}

/** The hangs of each run: a run is charged with those of its own calls, and with no other. */
export class Kills {
  readonly #budget: KillBudget;
  readonly #charges = new Map<string, Charge>();

  constructor(budget: KillBudget) {
    this.#budget = budget;
  }

  add(scope: string, hash: string, nowMs: number): void {
    const charge = this.#charges.get(scope) ?? { hangs: new Map<string, number>(), recent: [] };
    charge.hangs.set(hash, (charge.hangs.get(hash) ?? 0) + 1);
    charge.recent = [...charge.recent, nowMs].slice(-KEPT);
    this.#charges.set(scope, charge);
  }

  /** True for a capability that this run does not start again. */
  isBarred(scope: string, hash: string): boolean {
    return (this.#charges.get(scope)?.hangs.get(hash) ?? 0) >= this.#budget.perCapability;
  }

  /** Time in ms until the run may start its next call; 0 for now. */
  waitMs(scope: string, nowMs: number): number {
    const { kills, windowMs } = this.#budget;
    const recent = (this.#charges.get(scope)?.recent ?? []).filter((at) => nowMs - at < windowMs);
    const oldest = recent.at(-kills);
    return oldest === undefined || recent.length < kills ? 0 : oldest + windowMs - nowMs;
  }
}

/** Newest kills kept for each run: more than any budget counts. */
const KEPT = 16;
