import {
  type CallFailureKind,
  type CallLimits,
  type CallSettled,
  type ConsoleLine,
  decode,
  type GuestError,
  misuse,
  type PowerCall,
} from '../core/index.ts';
import { readError } from './guest-error.ts';
import { touched } from './image.ts';
import type { Instance } from './instance.ts';
import { SOURCE_FILE } from './prelude.ts';
import { attempt, type Realm } from './realm.ts';

/** What a call is given besides its arguments; all of it is recorded, so that the call can be made again. */
export interface CallInput {
  readonly seed: number;
  /** ms since epoch; the guest's clock stands still at it. */
  readonly now: number;
  readonly heapHash?: boolean;
}

/** A question of the guest's that waits for its answer. */
export interface PowerRequest {
  readonly ticket: number;
  readonly name: string;
  /** JSON text of the array of arguments. */
  readonly args: string;
}

export type PowerAnswer =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly error: Pick<GuestError, 'name' | 'message'> };

export type CallStep =
  | { readonly done: true; readonly settled: CallSettled }
  /** The new questions; none when older ones are still open. */
  | { readonly done: false; readonly requests: readonly PowerRequest[] };

type Failed = { readonly kind: CallFailureKind; readonly error?: GuestError };

/** A text of the prelude's: one letter, then the rest. Longer than `max`: only its length. */
interface Said {
  readonly tag: string;
  readonly text: string;
  readonly bytes: number;
}

/** Enough to tell the console's lines after the guest was stopped; not charged to the call. */
const LINES_FUEL = 100_000;
const LINES_MS = 1000;
/** How near its limit the C stack must have come before we believe a guest that says `stack overflow`. */
const STACK_NEAR_BYTES = 64 << 10;

const encoder = new TextEncoder();

/**
 * One call on one instance, from arguments to its end, driven by the host: no host code runs while the guest does. A
 * guest that needs a power comes to rest, its questions are carried out, and it is resumed with the answers in the order
 * in which it asked, whatever order they came in: the same answers give the same heap.
 */
export class Call {
  readonly #instance: Instance;
  readonly #realm: Realm;
  readonly #limits: CallLimits;
  readonly #input: CallInput;
  readonly #powers: readonly string[];
  readonly #answered: PowerCall[] = [];
  #open: PowerRequest[] = [];
  #asked = 0;
  #jobs = 0;
  #bytesIn = 0;
  #bytesOut = 0;
  #leftMs = 0;
  #settled: CallSettled | undefined;

  constructor(realm: Realm, limits: CallLimits, powers: readonly string[], input: CallInput) {
    this.#realm = realm;
    this.#limits = limits;
    this.#powers = powers;
    this.#input = input;
    this.#instance = realm.take();
  }

  /** Starts the guest with its arguments, as JSON text. */
  begin(args: string): CallStep {
    const instance = this.#instance;
    instance.clock = this.#input.now;
    instance.seed(this.#input.seed);
    instance.meter.arm(this.#limits.fuel, this.#limits.deadlineMs);
    const utf8 = encoder.encode(args);
    if (!args.isWellFormed() || args.includes('\0')) return this.#end({ kind: 'args' });
    if (!this.#takeIn(utf8.length)) return this.#end({ kind: 'bytes_in' });
    return this.#run(() => this.#say(instance.call(instance.entry('start'), instance.string(utf8))));
  }

  /** Answers the oldest open question. Throws `ticket_unknown` for any other. */
  resume(ticket: number, answer: PowerAnswer): CallStep {
    const [request] = this.#open;
    if (request?.ticket !== ticket || this.#settled !== undefined) throw misuse('ticket_unknown', { ticket });
    this.#open = this.#open.slice(1);
    const recorded = recordPowerCall(request, answer, this.#limits.bytesIn);
    if ('kind' in recorded) return this.#end(recorded);
    this.#answered.push(recorded);
    const text = resumption(ticket, answer);
    if (!this.#takeIn(answer.ok ? encoder.encode(answer.text).length : 0)) return this.#end({ kind: 'bytes_in' });
    return this.#continue(text);
  }

  /** Ends a call that waits. */
  abort(): CallSettled {
    this.#instance.meter.stop ??= 'aborted';
    if (this.#settled === undefined) this.#end({ kind: 'aborted' });
    return this.#settled as unknown as CallSettled;
  }

  #continue(text: string): CallStep {
    const instance = this.#instance;
    instance.meter.resume(this.#limits.fuel, instance.meter.fuel, this.#leftMs);
    return this.#run(() => this.#say(instance.call(instance.entry('resume'), instance.string(text))));
  }

  /** Lets the guest run until it rests, then looks at what it says. */
  #run(enter: () => Said | undefined): CallStep {
    const instance = this.#instance;
    const end = attempt(instance, SOURCE_FILE, () => {
      const said = enter();
      if (said === undefined || !instance.jobPending) return said?.tag === '' ? this.#poll() : said;
      this.#drain();
      return this.#poll();
    });
    if (end.ok) return this.#hear(end.value);
    // the prelude catches what the guest throws; what it does not catch is not the guest's
    return this.#end(end.kind === 'threw' ? { ...end, kind: 'corrupt' } : end);
  }

  #poll(): Said | undefined {
    return this.#say(this.#instance.call(this.#instance.entry('poll')));
  }

  #drain(): void {
    const { meter } = this.#instance;
    while (meter.stop === undefined && this.#instance.runJob()) {
      this.#jobs += 1;
      if (this.#jobs > this.#limits.jobs) meter.stop = 'jobs';
    }
  }

  #say(value: number): Said | undefined {
    if (value === 0) return undefined;
    const utf8 = this.#instance.utf8(value);
    if (utf8.length === 0) return { tag: '', text: '', bytes: 0 };
    const tag = String.fromCharCode(utf8[0] ?? 0);
    const bytes = utf8.length - 1;
    const text = bytes > this.#bytesMax(tag) ? '' : this.#instance.text(utf8.subarray(1));
    return { tag, text, bytes };
  }

  /** Questions are quoted twice on their way out; errors are cut to size by the prelude. */
  #bytesMax(tag: string): number {
    if (tag === 'v') return this.#limits.bytesOut;
    return tag === 'w' ? 2 * this.#limits.bytesOut + 256 * (this.#limits.powerCalls + 1) : 65_536;
  }

  #hear({ tag, text, bytes }: Said): CallStep {
    if (tag === 'w') return this.#wait(text);
    if (this.#open.length > 0) return this.#waiting([]);
    switch (tag) {
      case 'v':
        return this.#bytesOut + bytes > this.#limits.bytesOut ? this.#end({ kind: 'bytes_out' }) : this.#succeed(text);
      case 't':
        return this.#end(this.#threw(readError(text, SOURCE_FILE)));
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

  /** The guest may say `stack overflow` whenever it likes; it is one when the stack was nearly used up. */
  #threw(error: GuestError): Failed {
    const limit = this.#instance.stackLimit;
    const overflow = error.name === 'InternalError' && error.message === 'stack overflow';
    const deep = overflow && touched(this.#instance.words, [limit, limit + STACK_NEAR_BYTES]);
    return { kind: deep ? 'stack' : 'threw', error };
  }

  #wait(text: string): CallStep {
    if (text === '') return this.#end({ kind: 'bytes_out' });
    const requests: PowerRequest[] = [];
    for (const [ticket, name, args] of JSON.parse(text) as readonly (readonly [number, string, string])[]) {
      this.#asked += 1;
      if (this.#asked > this.#limits.powerCalls) return this.#end({ kind: 'power_calls' });
      // the prelude counts tickets and knows the names: anything else comes from a damaged heap
      if (ticket !== this.#asked || !this.#powers.includes(name)) return this.#end({ kind: 'corrupt' });
      this.#bytesOut += encoder.encode(args).length;
      requests.push({ ticket, name, args });
    }
    if (this.#bytesOut > this.#limits.bytesOut) return this.#end({ kind: 'bytes_out' });
    return this.#waiting(requests);
  }

  #waiting(requests: readonly PowerRequest[]): CallStep {
    this.#open.push(...requests);
    this.#leftMs = this.#instance.meter.leftMs;
    return { done: false, requests };
  }

  #takeIn(bytes: number): boolean {
    this.#bytesIn += bytes;
    return this.#bytesIn <= this.#limits.bytesIn;
  }

  #succeed(text: string): CallStep {
    const { fuel } = this.#instance.meter;
    const heapHash = this.#input.heapHash === true ? this.#realm.heapHash(this.#instance) : undefined;
    const lines = this.#lines();
    if (lines === undefined) return this.#end({ kind: 'console' });
    const powerCalls = this.#answered;
    const settled = { ok: true, text, fuel, console: lines, powerCalls } as const;
    return this.#settle(heapHash === undefined ? settled : { ...settled, heapHash });
  }

  #end({ kind, error }: Failed): CallStep {
    const { fuel } = this.#instance.meter;
    const lines = this.#lines() ?? [];
    const settled = { ok: false, kind, fuel, console: lines, powerCalls: this.#answered } as const;
    return this.#settle(error === undefined ? settled : { ...settled, error });
  }

  #settle(settled: CallSettled): CallStep {
    this.#settled = settled;
    this.#open = [];
    this.#realm.give(this.#instance);
    return { done: true, settled };
  }

  /** The console, or undefined when it is over its limit. A heap that may be damaged is not asked. */
  #lines(): readonly ConsoleLine[] | undefined {
    const instance = this.#instance;
    const { stop } = instance.meter;
    if (instance.dead || stop === 'memory') return [];
    instance.meter.arm(LINES_FUEL, LINES_MS);
    const told = attempt(instance, SOURCE_FILE, () => {
      const value = instance.call(instance.entry('lines'));
      return value === 0 ? undefined : instance.text(instance.utf8(value));
    });
    instance.meter.stop = stop ?? instance.meter.stop;
    return told.ok ? readLines(told.value, this.#limits.consoleBytes) : [];
  }
}

/** Lines as the prelude tells them: whether there were too many, then `[level, text]` in order. */
function readLines(told: string, bytesMax: number): readonly ConsoleLine[] | undefined {
  if (told === '0[]') return [];
  const pairs = JSON.parse(told.slice(1)) as readonly (readonly [ConsoleLine['level'], string])[];
  const lines = pairs.map(([level, text]) => ({ level, text: text.toWellFormed() }));
  const bytes = lines.reduce((sum, { text }) => sum + encoder.encode(text).length + 1, 0);
  return told.startsWith('1') || bytes > bytesMax ? undefined : lines;
}

function resumption(ticket: number, answer: PowerAnswer): string {
  const rest = answer.ok ? [1, answer.text] : [0, answer.error.name, answer.error.message];
  return JSON.stringify([ticket, ...rest]);
}

/** Both sides of a power call as values; a side that is not strict JSON ends the call. */
export function recordPowerCall(request: PowerRequest, answer: PowerAnswer, bytes: number): PowerCall | Failed {
  const limits = { bytes: Math.max(bytes, encoder.encode(request.args).length), depth: 64, nodes: 100_000 };
  const args = decode(encoder.encode(request.args), limits);
  if (!args.ok) return { kind: 'power', error: { name: 'Error', message: `${request.name}: ${args.refusal.message}` } };
  if (!answer.ok) return { name: request.name, args: args.value, result: null, error: answer.error };
  const result = decode(encoder.encode(answer.text), limits);
  if (!result.ok)
    return { kind: 'power', error: { name: 'Error', message: `${request.name}: ${result.refusal.message}` } };
  return { name: request.name, args: args.value, result: result.value };
}
