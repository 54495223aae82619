import { endsCall } from '../core/capability/built-in-power.ts';
import type { CallFailureKind, CallSettled, ConsoleLine, PowerCall } from '../core/capability/call.ts';
import type { GuestError } from '../core/errors/details.ts';
import { allNamed, type CallLimitOf, type CallLimits } from '../core/limits.ts';
import { misuse } from '../core/sallyport-error.ts';
import type { Instance } from './instance.ts';
import { encodeUtf8 } from './instance.ts';
import { type CallState, type ParkedCall, parkHeap, unparkHeap } from './park.ts';
import { type GuestPowerAnswer, type PowerRequest, recordPowerCall, resumption } from './power-call.ts';
import { placeIn, readError, SOURCE_FILE, type SourcePlace } from './prelude.ts';
import { attempt, type Realm } from './realm.ts';

export type CallStep =
  | { readonly done: true; readonly settled: CallSettled }
  /** The new requests; empty when only older requests are open. */
  | { readonly done: false; readonly requests: readonly PowerRequest[] };

type CountName = CallLimitOf<'count'>;

/** The limits that are compared with a count of the call: a counted limit without its count does not compile. */
const COUNTED: {
  readonly [L in CountName]: { readonly kind: CallFailureKind; count(state: CallState): number };
} = {
  jobs: { kind: 'jobs', count: ({ jobs }) => jobs },
  powerCalls: { kind: 'power_calls', count: ({ asked }) => asked },
  bytesIn: { kind: 'bytes_in', count: ({ bytesIn }) => bytesIn },
  bytesOut: { kind: 'bytes_out', count: ({ bytesOut }) => bytesOut },
};
const COUNT_NAMES = Object.keys(COUNTED) as readonly CountName[];

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

type Failed = { readonly kind: CallFailureKind; readonly error?: GuestError };

/**
 * Fuel and jobs for reporting an interrupt: an async function hands it to its promise, and the awaiting code must
 * report it.
 */
const TRACE = { fuel: 5_000, jobs: 100 } as const;
/** Does work of the host that is no time of the guest. */
export type Aside = <T>(work: () => T) => T;

/**
 * A call on its own instance, from arguments to its end, driven by the host: no host code runs while the guest runs. A
 * guest that needs a power comes to rest, the host carries out its requests, and the guest is resumed with the answers
 * in the order of its requests. The order of arrival does not count: the same answers give the same heap.
 */
export class SandboxCall {
  readonly #instance: Instance;
  readonly #realm: Realm;
  readonly #powers: readonly string[];
  readonly #state: Mutable<CallState>;
  readonly #aside: Aside;
  /** True when the prelude has said that the console is empty. */
  #silent = false;
  #settled: CallSettled | undefined;

  /** The state is the call's own from here on. */
  constructor(realm: Realm, powers: readonly string[], state: CallState, aside: Aside = (work) => work()) {
    this.#realm = realm;
    this.#powers = powers;
    this.#state = state;
    this.#aside = aside;
    this.#instance = realm.take();
  }

  /** Starts the guest with its arguments, as JSON text. */
  begin(args: string): CallStep {
    const instance = this.#instance;
    instance.clock = this.#state.input.now;
    instance.seed(this.#state.input.seed);
    const { fuel, deadlineMs, ...others }: Pick<CallLimits, CallLimitOf<'meter'>> = this.#state.limits;
    allNamed(others);
    instance.meter.arm(fuel, deadlineMs, this.#grace);
    const utf8 = encodeUtf8(args);
    if (!args.isWellFormed() || args.includes('\0')) return this.#end({ kind: 'args' });
    const over = this.#takeIn(utf8.length);
    if (over !== undefined) return this.#end({ kind: over });
    return this.#run(() => this.#read(instance.call(instance.entry('start'), instance.string(utf8))));
  }

  /** Answers the oldest open question. Throws `ticket_unknown` for any other. */
  resume(ticket: number, answer: GuestPowerAnswer): CallStep {
    const [request] = this.#state.open;
    if (request?.ticket !== ticket || this.#settled !== undefined) throw misuse('ticket_unknown', { ticket });
    this.#state.open = this.#state.open.slice(1);
    this.#instance.meter.resume(this.#state.limits.fuel, this.#state.fuel, this.#state.leftMs, this.#grace);
    const over = this.#takeIn(answer.ok ? encodeUtf8(answer.text).length : 0);
    if (over !== undefined) return this.#end({ kind: over });
    const recorded = recordPowerCall(request, answer, this.#state.limits.bytesIn);
    if (!recorded.ok) return this.#end(recorded);
    this.#state.answered = [...this.#state.answered, recorded.call];
    if (endsCall(recorded.call)) return this.#end(failed(recorded.call));
    // the guest's answer is made from the recorded answer, so that a replay can repeat it to the byte
    const text = resumption(ticket, recorded.call);
    const instance = this.#instance;
    return this.#run(() => this.#read(instance.call(instance.entry('resume'), instance.string(text))));
  }

  /** Ends a call that waits. */
  abort(): CallSettled {
    this.#instance.meter.stop ??= 'aborted';
    if (this.#settled === undefined) this.#end({ kind: 'aborted' });
    return this.#settled as unknown as CallSettled;
  }

  /**
   * Takes a waiting call out of the sandbox. The call has not ended: `unpark` continues it. Undefined for a call that
   * is too large to be kept; it stays in its instance and waits on.
   */
  park(): ParkedCall | undefined {
    if (this.#state.open.length === 0) throw misuse('not_waiting', {});
    const parked = parkHeap(this.#instance, this.#realm.image, { ...this.#state });
    if (parked === undefined) return undefined;
    this.#state.open = [];
    this.#realm.give(this.#instance);
    return parked;
  }

  /** Goes on with a parked call, in any instance of the image it was parked from. Its questions are open again. */
  static unpark(
    realm: Realm,
    powers: readonly string[],
    parked: ParkedCall,
    digest: string,
    aside?: Aside,
  ): SandboxCall {
    const call = new SandboxCall(realm, powers, { ...parked.state }, aside);
    unparkHeap(call.#instance, realm.image, parked, digest);
    call.#instance.clock = parked.state.input.now;
    return call;
  }

  /** The questions that wait for an answer, oldest first. */
  get open(): readonly PowerRequest[] {
    return this.#state.open;
  }

  /** Lets the guest run until it rests, then handles its message. */
  #run(enter: () => PreludeMessage | undefined): CallStep {
    const instance = this.#instance;
    let last: PreludeMessage | undefined;
    const end = attempt(instance, SOURCE_FILE, () => {
      last = enter();
      if (last === undefined || !instance.jobPending) return last?.tag === '' ? this.#poll() : last;
      this.#drain();
      last = this.#poll();
      return last;
    });
    if (end.ok) return believe(this.#instance, () => this.#hear(end.value)) ?? this.#end({ kind: 'corrupt' });
    // the prelude catches every error of the guest; an uncaught error is not the guest's
    return this.#end(end.kind === 'threw' ? { ...end, kind: 'corrupt' } : end, last);
  }

  #poll(): PreludeMessage | undefined {
    return this.#read(this.#instance.call(this.#instance.entry('poll')));
  }

  #drain(): void {
    const { meter } = this.#instance;
    while (meter.stop === undefined && this.#instance.runJob()) {
      this.#state.jobs += 1;
      if (this.#exceeded === 'jobs') meter.stop = 'jobs';
    }
    if (this.#state.input.trace !== true) return;
    for (let more = 0; more < TRACE.jobs && this.#instance.runJob(); more += 1);
  }

  get #grace(): number {
    return this.#state.input.trace === true ? TRACE.fuel : 1;
  }

  #read(value: number): PreludeMessage | undefined {
    return readMessage(this.#instance, value, this.#state.limits);
  }

  #hear(message: PreludeMessage): CallStep {
    const { tag, text, bytes } = message;
    if (tag === 'w') return this.#wait(text);
    if (this.#state.open.length > 0) return this.#waiting([]);
    this.#silent = tag === tag.toLowerCase() && tag !== '';
    switch (tag.toLowerCase()) {
      case 'v':
        this.#state.bytesOut += bytes;
        return this.#exceeded === undefined ? this.#succeed(text) : this.#end({ kind: this.#exceeded });
      case 't':
        return this.#end(thrownBy(this.#instance, readError(text, SOURCE_FILE)), message);
      case 'p':
        return this.#end({ kind: 'power', error: readError(text, SOURCE_FILE) });
      case 'r':
        return this.#end({ kind: 'result', error: readError(text, SOURCE_FILE) });
      case 'a':
        return this.#end({ kind: 'args', error: readError(text, SOURCE_FILE) });
      case '':
        return this.#end({ kind: 'result', error: { name: 'Error', message: 'the promise never settles' } });
      default:
        return this.#end({ kind: 'corrupt' });
    }
  }

  #wait(text: string): CallStep {
    if (text === '') return this.#end({ kind: 'bytes_out' });
    const requests: PowerRequest[] = [];
    for (const [ticket, name, args] of JSON.parse(text) as readonly (readonly [number, string, string])[]) {
      this.#state.asked += 1;
      if (this.#exceeded !== undefined) return this.#end({ kind: this.#exceeded });
      // the prelude counts tickets and knows the names: other values come from a damaged heap
      if (ticket !== this.#state.asked || !this.#powers.includes(name) || typeof args !== 'string')
        return this.#end({ kind: 'corrupt' });
      this.#state.bytesOut += encodeUtf8(args).length;
      requests.push({ ticket, name, args });
    }
    return this.#exceeded === undefined ? this.#waiting(requests) : this.#end({ kind: this.#exceeded });
  }

  #waiting(requests: readonly PowerRequest[]): CallStep {
    this.#state.open = [...this.#state.open, ...requests];
    this.#state.fuel = this.#instance.meter.fuel;
    this.#state.leftMs = this.#instance.meter.leftMs;
    return { done: false, requests };
  }

  #takeIn(bytes: number): CallFailureKind | undefined {
    this.#state.bytesIn += bytes;
    return this.#exceeded;
  }

  /** The end of a call that is over one of its counted limits. */
  get #exceeded(): CallFailureKind | undefined {
    const state = this.#state;
    const over = COUNT_NAMES.find((name) => COUNTED[name].count(state) > state.limits[name]);
    return over && COUNTED[over].kind;
  }

  #succeed(text: string): CallStep {
    const { fuel } = this.#instance.meter;
    const isHashed = this.#state.input.heapHash === true;
    const heapHash = isHashed ? this.#aside(() => this.#realm.heapHash(this.#instance)) : undefined;
    const lines = this.#console();
    if (lines === undefined) return this.#end({ kind: this.#shouted });
    const powerCalls = this.#state.answered;
    const settled = { ok: true, text, fuel, console: lines, powerCalls } as const;
    return this.#settle(heapHash === undefined ? settled : { ...settled, heapHash });
  }

  /** A console over its limit takes precedence: it exceeded the limit before the call ended. */
  #end({ kind, error }: Failed, message?: PreludeMessage): CallStep {
    const { thrown, meter } = this.#instance;
    const { fuel, stop } = meter;
    const lines = this.#console();
    // last: it may cost the heap, and by now all that is recorded has been read
    const isStopped = stop === undefined ? kind === 'stack' : stop !== 'aborted';
    const at = isStopped ? believe(this.#instance, () => stoppedAt(this.#instance, thrown, message)) : undefined;
    const first = lines === undefined && kind !== 'aborted' ? { kind: this.#shouted } : { kind, error, at };
    const settled = {
      ok: false,
      kind: first.kind,
      fuel,
      console: lines ?? [],
      powerCalls: this.#state.answered,
      ...(first.error !== undefined && { error: first.error }),
      ...(first.at !== undefined && { at: first.at }),
    } as const;
    return this.#settle(settled);
  }

  #settle(settled: CallSettled): CallStep {
    this.#settled = settled;
    this.#state.open = [];
    this.#realm.give(this.#instance);
    return { done: true, settled };
  }

  /** Failure of a call without readable lines: too many lines, or a damaged heap. */
  get #shouted(): CallFailureKind {
    return this.#instance.dead ? 'corrupt' : 'console';
  }

  #console(): readonly ConsoleLine[] | undefined {
    const { consoleBytes, ...others }: Pick<CallLimits, CallLimitOf<'console'>> = this.#state.limits;
    allNamed(others);
    return this.#silent ? [] : consoleOf(this.#instance, consoleBytes);
  }
}

/** The end of a call by a power that failed. The details stay in the record of the power call. */
function failed({ error: { name, message } = { name: 'Error', message: '' } }: PowerCall): Failed {
  return { kind: 'power', error: { name, message } };
}

/** Enough to tell the console's lines after the guest was stopped; not charged to the call. */
const LINES_FUEL = 100_000;
const LINES_MS = 1000;

const encoder = new TextEncoder();

/** The console of a call, or undefined when it is over its limit. A heap that may be damaged is not asked. */
function consoleOf(instance: Instance, bytesMax: number): readonly ConsoleLine[] | undefined {
  const { stop } = instance.meter;
  if (instance.dead || stop === 'memory') return [];
  instance.meter.arm(LINES_FUEL, LINES_MS);
  const told = attempt(instance, SOURCE_FILE, () => {
    const value = instance.call(instance.entry('lines'));
    return value === 0 ? undefined : instance.text(instance.utf8(value));
  });
  instance.meter.stop = stop ?? instance.meter.stop;
  return told.ok ? believe(instance, () => readLines(told.value, bytesMax)) : [];
}

/** Lines as the prelude tells them: whether there were too many, then `[level, text]` in order. */
function readLines(told: string, bytesMax: number): readonly ConsoleLine[] | undefined {
  if (told === '0[]') return [];
  const pairs = JSON.parse(told.slice(1)) as readonly (readonly [ConsoleLine['level'], string])[];
  const lines = pairs.map(([level, text]) => ({ level, text: text.toWellFormed() }));
  const bytes = lines.reduce((sum, { text }) => sum + encoder.encode(text).length + 1, 0);
  return told.startsWith('1') || bytes > bytesMax ? undefined : lines;
}

/** Distance to its limit that the C stack must have reached before a guest's `stack overflow` is believed. */
const STACK_NEAR_BYTES = 64 << 10;

/** The guest may claim `stack overflow` at any time; the claim holds when the stack was nearly used up. */
function thrownBy(
  instance: Instance,
  error: GuestError,
): { readonly kind: 'stack' | 'threw'; readonly error: GuestError } {
  const deep = instance.stackLow < instance.stackLimit + STACK_NEAR_BYTES;
  const overflow = error.name === 'InternalError' && error.message === 'stack overflow';
  return { kind: deep && overflow ? 'stack' : 'threw', error };
}

/**
 * The approximate place of the guest when a limit stopped it. A lack of memory or stack is an error, which the guest
 * let through, or caught and reported. An interrupt cannot be caught; the thrown value has its stack. An async function
 * keeps the thrown value unless the call is traced, and a guest without memory cannot report a place. The place is the
 * guest's word.
 */
function stoppedAt(instance: Instance, thrown: number, message: PreludeMessage | undefined): SourcePlace | undefined {
  if (instance.dead) return undefined;
  if (message?.tag.toLowerCase() === 't') {
    const { line, column } = readError(message.text, SOURCE_FILE);
    return line === undefined || column === undefined ? undefined : { line, column };
  }
  if (thrown === 0) return undefined;
  return placeIn(instance.text(instance.utf8(instance.member(thrown, 'stack'))), SOURCE_FILE);
}

/** A text of the prelude: a letter as its tag, then the rest. Of a text that is too long only the length is read. */
interface PreludeMessage {
  readonly tag: string;
  readonly text: string;
  readonly bytes: number;
}

/** Reads the message at an address of the heap; undefined for the address 0. */
function readMessage(instance: Instance, value: number, limits: CallLimits): PreludeMessage | undefined {
  if (value === 0) return undefined;
  const utf8 = instance.utf8(value);
  if (utf8.length === 0) return { tag: '', text: '', bytes: 0 };
  const tag = String.fromCharCode(utf8[0] ?? 0);
  const bytes = utf8.length - 1;
  const text = bytes > bytesMax(tag, limits) ? '' : instance.text(utf8.subarray(1));
  return { tag, text, bytes };
}

/** Questions are quoted twice on their way out; errors are cut to size by the prelude. */
function bytesMax(tag: string, { bytesOut, powerCalls }: CallLimits): number {
  if (tag === 'v' || tag === 'V') return bytesOut;
  return tag === 'w' ? 2 * bytesOut + 256 * (powerCalls + 1) : 65_536;
}

/**
 * Reads a text of the prelude, which has a fixed form. Another form comes from a damaged heap, which never runs again.
 */
function believe<T>(instance: Instance, read: () => T): T | undefined {
  try {
    return read();
  } catch {
    instance.dead = true;
    return undefined;
  }
}
