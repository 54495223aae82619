import type { CallFailureKind, CallLimits, CallSettled, PowerCall } from '../../core/index.ts';
import {
  type CallStep,
  type ParkedCall,
  type PowerAnswer,
  type PowerRequest,
  recordPowerCall,
} from '../../sandbox/index.ts';
import { deferred } from '../deferred.ts';
import type { CarryOut } from './port.ts';
import type { SandboxRemote } from './remote.ts';
import { Lost, type Station } from './station.ts';

/** One call and what it may ask of its pool. */
export interface Drive {
  readonly limits: CallLimits;
  readonly powers: CarryOut | undefined;
  readonly watchMs: number;
  /** Resolves when the call is to end, whatever it is doing. */
  readonly stopped: Promise<unknown>;
  /** Its first turn, under the number it will have in its worker. */
  readonly start: (remote: SandboxRemote, number: number) => Promise<CallStep>;
  /** What the power calls before the first turn brought. */
  readonly answered: readonly PowerCall[];
  allowed(): boolean;
  station(): Promise<Station>;
  hung(): void;
}

export interface Driven {
  readonly settled: Promise<CallSettled>;
  park(): Promise<ParkedCall | undefined>;
}

interface Question {
  readonly request: PowerRequest;
  readonly answer: Promise<PowerAnswer>;
}

/** A guest that runs cannot hear that it is no longer wanted: its worker is ended, so that others need not wait for it. */
const STOP_GRACE_MS = 150;

/** Numbers of calls; no two calls of a thread have the same, whichever worker they run in. */
let calls = 0;

/** Drives one call to its end, or to where it is parked. */
export function drive(call: Drive): Driven {
  const running = new Running(call);
  return { settled: running.settled, park: () => running.park() };
}

class Running {
  /** Never rejects; stays open when the call is parked. */
  readonly settled: Promise<CallSettled>;
  readonly #call: Drive;
  readonly #number: number = ++calls;
  readonly #parking = deferred<undefined>();
  readonly #parked = deferred<ParkedCall | undefined>();
  #answered: readonly PowerCall[];
  #open: readonly Question[] = [];
  /** The worker that runs this call's guest at this moment. */
  #inside: Station | undefined;

  constructor(call: Drive) {
    this.#call = call;
    this.#answered = call.answered;
    const ended = this.#run().catch((error: unknown) => this.#failed(this.#lossOf(error)));
    this.settled = Promise.race([ended, call.stopped.then(() => this.#failed('aborted'))]);
    void this.settled.then(() => this.#parked.resolve(undefined));
    void call.stopped.then(() => setTimeout(() => this.#inside?.terminate(), STOP_GRACE_MS));
  }

  park(): Promise<ParkedCall | undefined> {
    this.#parking.resolve(undefined);
    return this.#parked.promise;
  }

  async #run(): Promise<CallSettled> {
    if (!this.#call.allowed()) return this.#failed('hang');
    const { station, step } = await this.#begin();
    void this.#call.stopped.then(() => this.#leave(station));
    return this.#goOn(station, step);
  }

  /** A worker that is lost before the call began in it costs the call nothing. */
  async #begin(): Promise<{ station: Station; step: CallStep }> {
    const station = await this.#call.station();
    try {
      return {
        station,
        step: await this.#turn(station, (remote) => this.#call.start(remote, this.#number)),
      };
    } catch (error) {
      if (error instanceof Lost && error.how === 'unbegun') return this.#begin();
      throw error;
    }
  }

  /** Powers are carried out at once and side by side; their answers go back one by one, in the order of the questions. */
  async #goOn(station: Station, step: CallStep): Promise<CallSettled> {
    if (step.done) return step.settled;
    const asked = step.requests.map((request) => ({ request, answer: carryOut(this.#call.powers, request) }));
    const [next, ...later] = [...this.#open, ...asked];
    if (next === undefined) throw new Lost('gone');
    const answer = await Promise.race([next.answer, this.#parking.promise]);
    if (answer === undefined) return this.#park(station);
    this.#open = later;
    const recorded = recordPowerCall(next.request, answer, this.#call.limits.bytesIn);
    if (!('kind' in recorded)) this.#answered = [...this.#answered, recorded];
    const { ticket } = next.request;
    const after = await this.#turn(station, (remote) => remote.resume(this.#number, ticket, answer));
    return this.#goOn(station, after);
  }

  async #turn(station: Station, run: (remote: SandboxRemote) => Promise<CallStep>): Promise<CallStep> {
    try {
      return await station.turn(this.#call.watchMs, (remote) => {
        this.#inside = station;
        return run(remote);
      });
    } finally {
      this.#inside = undefined;
    }
  }

  async #park(station: Station): Promise<never> {
    this.#parked.resolve(await station.turn(this.#call.watchMs, (remote) => remote.park(this.#number)));
    return new Promise<never>(() => undefined);
  }

  #lossOf(error: unknown): CallFailureKind {
    if (!(error instanceof Lost) || error.how !== 'hang') return 'corrupt';
    this.#call.hung();
    return 'hang';
  }

  #failed(kind: CallFailureKind): CallSettled {
    return { ok: false, kind, fuel: 0, console: [], powerCalls: this.#answered };
  }

  #leave(station: Station): void {
    station.turn(this.#call.watchMs, (remote) => remote.drop(this.#number)).catch(() => undefined);
  }
}

/** The power belongs to the page: it may throw anything, and return anything. */
async function carryOut(powers: CarryOut | undefined, { name, args, ticket }: PowerRequest): Promise<PowerAnswer> {
  try {
    if (powers === undefined) throw new TypeError(`power ${name} is not provided`);
    return { ok: true, text: await powers(name, args, ticket) };
  } catch (error) {
    if (!(error instanceof Error)) return { ok: false, error: { name: 'Error', message: String(error) } };
    return { ok: false, error: { name: error.name, message: error.message } };
  }
}
