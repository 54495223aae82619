import type { GuestError } from '../core/errors/details.ts';
import type { CallLimitOf, CallLimits } from '../core/limits.ts';
import type { Engine } from './engine.ts';
import { heapHash, type Image, planRestoration, type Restoration, restore } from './image.ts';
import { Instance } from './instance.ts';
import type { Stop } from './meter.ts';
import { readError } from './prelude.ts';

/** Limits that a realm enforces; the caller enforces the remaining limits of a call. */
export type RealmLimits = Pick<CallLimits, CallLimitOf<'meter' | 'engine'>>;

/** Why a realm did not answer. */
type RealmFailure = Stop | 'corrupt' | 'threw';

export type RealmOutcome =
  | { readonly ok: true; readonly text: string; readonly fuel: number }
  | { readonly ok: false; readonly kind: RealmFailure; readonly error?: GuestError; readonly fuel: number };

/** An instance that grew by more than this is dropped: clearing it before every call costs more than a new instance. */
const GROWTH_BYTES_MAX = 4 << 20;

/** The instance that an image was captured from. */
interface BuiltInstance {
  readonly instance: Instance;
  readonly fuel: number;
}

/**
 * A prepared heap and the instances that run on it. Each call starts from the identical heap: the image is written back
 * before it, so no data of a call is visible to the next call, and no disposal is needed.
 */
export class Realm {
  readonly image: Image;
  readonly limits: RealmLimits;
  /** File in which positions of errors are looked for. */
  readonly fileName: string;
  /** Fuel that its sources took; 0 where the image was adopted. */
  readonly loadFuel: number;
  readonly #engine: Engine;
  readonly #plan: Restoration;
  #idle: Instance | undefined;

  constructor(engine: Engine, image: Image, limits: RealmLimits, fileName: string, built?: BuiltInstance) {
    this.#engine = engine;
    this.fileName = fileName;
    this.image = image;
    this.limits = limits;
    this.#plan = planRestoration(image, engine.pins);
    this.#idle = built?.instance;
    this.loadFuel = built?.fuel ?? 0;
  }

  get imageHash(): string {
    return this.image.hash;
  }

  /** An instance with a pristine heap, the caller's until it gives it back. */
  take(): Instance {
    const instance = this.#idle;
    this.#idle = undefined;
    if (instance === undefined) return this.fork();
    restore(this.#plan, instance.bytes, instance.stackLow);
    instance.stackLow = this.#engine.pins.stack.high;
    return instance;
  }

  /** A fresh instance made from the image. */
  fork(): Instance {
    const instance = new Instance(this.#engine, this.image.memoryPages, this.limits.memoryBytes);
    instance.adopt(this.image);
    return instance;
  }

  /** Keeps an instance for the next call, unless it cannot be trusted or has grown too big. */
  give(instance: Instance): void {
    const grown = instance.bytes.length - this.image.memoryPages * 65_536;
    const sound = !instance.dead && instance.meter.stop !== 'memory';
    if (sound && grown <= GROWTH_BYTES_MAX) this.#idle = instance;
  }

  /** Frees the memory; the next call forks from the image. True when memory was freed. */
  rest(): boolean {
    const had = this.#idle !== undefined;
    this.#idle = undefined;
    return had;
  }

  /** Calls an entry on a pristine heap and runs it to its end, without promise jobs. */
  call(entry: string, text: string, limits: Partial<Pick<RealmLimits, 'fuel' | 'deadlineMs'>> = {}): RealmOutcome {
    const instance = this.take();
    instance.meter.arm(limits.fuel ?? this.limits.fuel, limits.deadlineMs ?? this.limits.deadlineMs);
    const end = attempt(instance, this.fileName, () => {
      const value = instance.call(instance.entry(entry), instance.string(text));
      return value === 0 ? undefined : instance.text(instance.utf8(value));
    });
    const { fuel } = instance.meter;
    this.give(instance);
    return end.ok ? { ok: true, text: end.value, fuel } : { ...end, fuel };
  }

  /** Hash of the heap as a call left it. */
  heapHash(instance: Instance): string {
    return heapHash(instance.bytes);
  }
}

export type Attempt<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly kind: RealmFailure; readonly error?: GuestError };

/**
 * Runs guest code and names the reason of its end, as the host observed it. `undefined` from `run` means that the guest
 * threw.
 */
export function attempt<T>(instance: Instance, fileName: string, run: () => T | undefined): Attempt<T> {
  let value: T | undefined;
  let trap: RealmFailure | undefined;
  try {
    value = run();
  } catch (error) {
    instance.dead = true;
    trap = trapKind(error);
  }
  const kind = instance.meter.stop ?? trap ?? (instance.overflowed ? 'stack' : undefined);
  if (kind !== undefined) return { ok: false, kind };
  if (value !== undefined) return { ok: true, value };
  return { ok: false, kind: 'threw', ...explain(instance, fileName) };
}

/**
 * A host engine that runs out of its own stack throws an error that is not WebAssembly's (V8 and JavaScriptCore a
 * RangeError, SpiderMonkey an InternalError); any other error means that the heap can no longer be trusted.
 */
function trapKind(error: unknown): RealmFailure {
  const name = error instanceof Error ? error.name : '';
  return name === 'RangeError' || name === 'InternalError' ? 'stack' : 'corrupt';
}

/** The guest's thrown error, in the guest's words, if the prelude has an `explain` entry. */
function explain(instance: Instance, fileName: string): { readonly error?: GuestError } {
  const entry = instance.roots.entries['explain'];
  if (entry === undefined || instance.thrown === 0) return {};
  const value = instance.call(entry, instance.thrown);
  return value === 0 ? {} : { error: readError(instance.text(instance.utf8(value)), fileName) };
}

/** Instances that are kept warm. An image is an eighth of a megabyte; an instance has that again, and six of address space. */
const WARM = 4;

/** Lets the realms that were used least recently rest: their next call forks from the image, which takes a millisecond. */
export class WarmRealms {
  #warm: readonly Realm[] = [];
  readonly #max: number;

  constructor(max: number = WARM) {
    this.#max = max;
  }

  use(realm: Realm): void {
    this.#warm = [...this.#warm.filter((other) => other !== realm), realm];
    const cold = this.#warm.slice(0, -this.#max);
    for (const other of cold) other.rest();
    this.#warm = this.#warm.slice(-this.#max);
  }
}
