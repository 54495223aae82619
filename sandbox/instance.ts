import type { Engine } from './engine.ts';
import { type Image, type Roots, writeImage } from './image.ts';
import { Meter } from './meter.ts';
import type { Pins } from './pins.ts';
import { STACK_LOW } from './wasm/prepare.ts';

export const PAGE_BYTES = 65_536;
/** Growth comes in steps of this many pages: each step detaches every view of the memory. */
const GROWTH_PAGES = 4;
const DETECT_MODULE_OFF = 0;
const SHORT_BYTES = 4096;
const EVAL = { script: 0, module: 1 } as const;

/** The two halves of a double. */
const SEED = new Float64Array(1);
const SEED_WORDS = new Uint32Array(SEED.buffer);

/**
 * A WebAssembly instance of the engine with a memory of its own: the owned resource of the sandbox. Its objects are
 * never disposed of: the memory is overwritten with an image, or dropped whole. A pointer is a plain number; the host
 * never follows one into a guest object, it only moves JSON text.
 */
export class Instance implements HostImports {
  readonly memory: WebAssembly.Memory;
  readonly meter: Meter;
  /** Set after a trap: the C stack and the allocator may be in any state, so the instance never runs again. */
  dead = false;
  clock = 0;
  bytes: Uint8Array<ArrayBuffer>;
  words: Int32Array<ArrayBuffer>;
  roots: Roots = { context: 0, runtime: 0, undefined: 0, scratch: 0, entries: {} };
  readonly engine: Engine;
  readonly #pagesMax: number;
  readonly #native: Native;

  constructor(engine: Engine, pages: number, memoryBytes: number) {
    this.engine = engine;
    this.#pagesMax = Math.floor(memoryBytes / PAGE_BYTES);
    this.memory = new WebAssembly.Memory({ initial: pages, maximum: this.#pagesMax });
    this.bytes = new Uint8Array(this.memory.buffer);
    this.words = new Int32Array(this.memory.buffer);
    const { exports } = new WebAssembly.Instance(engine.module, wasmImports(engine.pins, this));
    this.#native = nativeOf(engine.pins, exports);
    this.stackLow = engine.pins.stack.high;
    this.meter = new Meter(engine.pins, {
      read: () => this.words[this.#counterAt] ?? 0,
      write: (operations) => {
        this.words[this.#counterAt] = operations;
      },
      overflowed: () => this.overflowed,
    });
  }

  get #counterAt(): number {
    return (this.roots.context + this.engine.pins.context.interruptCounter) >> 2;
  }

  now(): number {
    return this.clock;
  }

  interrupt(): 0 | 1 {
    return this.meter.interrupt();
  }

  /** A denial is the only sign of memory running out that a guest cannot forge. */
  grow(bytes: number): boolean {
    const have = this.memory.buffer.byteLength / PAGE_BYTES;
    const need = Math.ceil(bytes / PAGE_BYTES);
    if (need > this.#pagesMax) {
      this.meter.stop ??= 'memory';
      return false;
    }
    if (need > have) this.memory.grow(Math.min(this.#pagesMax, Math.max(need, have + GROWTH_PAGES)) - have);
    this.bytes = new Uint8Array(this.memory.buffer);
    this.words = new Int32Array(this.memory.buffer);
    return true;
  }

  /** Makes a runtime and a context in a fresh memory. */
  boot(stackBytes: number): void {
    this.#native.start();
    const runtime = this.#native.newRuntime();
    const context = this.#native.newContext(runtime, this.engine.pins.intrinsics);
    this.#native.setStackSize(runtime, stackBytes);
    this.#native.enableInterrupts(runtime);
    const scratch = this.malloc(16);
    this.roots = { runtime, context, undefined: this.#native.undefined(), scratch, entries: {} };
  }

  /** Becomes the image, in a memory that is still zero. */
  adopt(image: Image): void {
    writeImage(image, this.bytes);
    this.roots = image.roots;
  }

  /** Pointer to a result, or 0 when the script threw; `thrown()` has the reason. */
  evaluate(text: string, fileName: string, kind: 'script' | 'module'): number {
    const utf8 = encodeUtf8(text);
    const source = this.#cString(utf8);
    const name = this.#cString(encodeUtf8(fileName));
    const { context } = this.roots;
    const value = this.#native.eval(context, source, utf8.length, name, DETECT_MODULE_OFF, EVAL[kind]);
    // the text would stay behind in freed memory, and so in the image
    this.bytes.fill(0, source, source + utf8.length);
    this.#native.free(source);
    return this.#settle(value);
  }

  /** The value the last evaluation or call threw. */
  thrown = 0;

  /** Calls a guest function with at most a single argument. 0 when it threw. */
  call(entry: number, argument?: number): number {
    const { context, undefined: none, scratch } = this.roots;
    if (argument !== undefined) this.words[scratch >> 2] = argument;
    return this.#settle(this.#native.call(context, entry, none, argument === undefined ? 0 : 1, scratch));
  }

  /** Pointer to a function of the realm's prelude. */
  entry(name: string): number {
    const pointer = this.roots.entries[name];
    if (pointer === undefined) throw new TypeError(`The realm has no entry ${name}`);
    return pointer;
  }

  /**
   * Reads a member. Reading an own member runs no guest code; for an inherited member the guest may have put a getter
   * on a prototype.
   */
  member(object: number, name: string): number {
    return this.#native.getProp(this.roots.context, object, this.string(name));
  }

  /** A guest string. The text is well-formed and has no NUL, or it ends there. */
  string(text: string | Uint8Array): number {
    const utf8 = typeof text === 'string' ? encodeUtf8(text) : text;
    const at = this.#cString(utf8);
    const value = this.#native.newString(this.roots.context, at);
    // a short text is not worth the way: the next restore frees it
    if (utf8.length > SHORT_BYTES) this.#native.free(at);
    return value;
  }

  /** The UTF-8 bytes of a guest string, up to the first NUL: a view, to be read before further guest code runs. */
  utf8(value: number): Uint8Array {
    const at = this.#native.getString(this.roots.context, value);
    if (at === 0) return this.bytes.subarray(0, 0);
    return this.bytes.subarray(at, this.bytes.indexOf(0, at));
  }

  /** Throws when the guest's bytes are not UTF-8, which only a damaged heap can bring about. */
  text(utf8: Uint8Array): string {
    return decodeUtf8(utf8);
  }

  /** Runs a promise job; false when no job is waiting. */
  runJob(): boolean {
    if (this.#native.isJobPending(this.roots.runtime) === 0) return false;
    this.#native.executeJobs(this.roots.runtime, 1, this.roots.scratch + 8);
    return true;
  }

  get jobPending(): boolean {
    return this.#native.isJobPending(this.roots.runtime) !== 0;
  }

  /** Lowest address the C stack has had since this was last set. */
  get stackLow(): number {
    return this.#native.stackLow.value;
  }

  set stackLow(address: number) {
    this.#native.stackLow.value = address;
  }

  /** Lowest address the guest's C stack may use. */
  get stackLimit(): number {
    return this.words[(this.roots.runtime + this.engine.pins.runtime.stackLimit) >> 2] ?? 0;
  }

  /** The engine throws an error that the guest can catch; that it was thrown cannot be hidden. */
  get overflowed(): boolean {
    return this.stackLow < this.stackLimit;
  }

  malloc(size: number): number {
    return this.#native.malloc(size);
  }

  /** Seeds `Math.random` from a number; every double is a different seed. */
  seed(seed: number): void {
    const state = (this.roots.context + this.engine.pins.context.randomState) >> 2;
    SEED[0] = seed;
    const [low = 0, high = 0] = SEED_WORDS;
    this.words[state] = scatter(low ^ 0x9e3779b9);
    // xorshift never leaves zero, so the state must not be zero
    this.words[state + 1] = scatter(high ^ low ^ 0x85ebca6b) | 1;
  }

  #cString(utf8: Uint8Array): number {
    const at = this.malloc(utf8.length + 1);
    if (at === 0) throw new WebAssembly.RuntimeError('out of memory');
    this.bytes.set(utf8, at);
    this.bytes[at + utf8.length] = 0;
    return at;
  }

  #settle(value: number): number {
    this.thrown = this.#native.resolveException(this.roots.context, value);
    return this.thrown === 0 ? value : 0;
  }
}

/** The finaliser of MurmurHash3: neighbouring seeds give unrelated states. */
function scatter(x: number): number {
  x = Math.imul(x ^ (x >>> 16), 0x85ebca6b);
  x = Math.imul(x ^ (x >>> 13), 0xc2b2ae35);
  return x ^ (x >>> 16);
}

type Fn<A extends number[]> = (...args: A) => number;

/** The engine's C functions under their own names, each called directly. A pointer is a plain number; 0 is none. */
interface Native {
  readonly start: Fn<[]>;
  readonly malloc: Fn<[size: number]>;
  readonly free: Fn<[at: number]>;
  readonly newRuntime: Fn<[]>;
  readonly newContext: Fn<[runtime: number, intrinsics: number]>;
  readonly setStackSize: Fn<[runtime: number, bytes: number]>;
  readonly enableInterrupts: Fn<[runtime: number]>;
  readonly undefined: Fn<[]>;
  readonly newString: Fn<[context: number, utf8: number]>;
  readonly getString: Fn<[context: number, value: number]>;
  readonly getProp: Fn<[context: number, object: number, name: number]>;
  readonly eval: Fn<[context: number, text: number, bytes: number, fileName: number, detect: number, flags: number]>;
  readonly call: Fn<[context: number, fn: number, self: number, count: number, args: number]>;
  readonly resolveException: Fn<[context: number, value: number]>;
  readonly isJobPending: Fn<[runtime: number]>;
  readonly executeJobs: Fn<[runtime: number, max: number, context: number]>;
  readonly stackLow: WebAssembly.Global;
}

/** Finds the functions in the exports of an instance. A name that is not there is a defect of the pins. */
function nativeOf(pins: Pins, exports: WebAssembly.Exports): Native {
  const names = pins.exports;
  const fn = <A extends number[]>(name: string): Fn<A> => {
    const found = exports[name];
    if (typeof found !== 'function') throw new TypeError(`The engine has no function ${name}`);
    return found as unknown as Fn<A>;
  };
  return {
    start: fn(names.start),
    malloc: fn(names.malloc),
    free: fn(names.free),
    newRuntime: fn(names.newRuntime),
    newContext: fn(names.newContext),
    setStackSize: fn(names.setStackSize),
    enableInterrupts: fn(names.enableInterrupts),
    undefined: fn(names.undefined),
    newString: fn(names.newString),
    getString: fn(names.getString),
    getProp: fn(names.getProp),
    eval: fn(names.eval),
    call: fn(names.call),
    resolveException: fn(names.resolveException),
    isJobPending: fn(names.isJobPending),
    executeJobs: fn(names.executeJobs),
    stackLow: exports[STACK_LOW] as WebAssembly.Global,
  };
}

/** Functions that an instance gives the engine as imports. All further imports are forbidden. */
interface HostImports {
  readonly memory: WebAssembly.Memory;
  /** ms since epoch as the guest sees it. */
  now(): number;
  /** Non-zero stops the guest. */
  interrupt(): 0 | 1;
  /** Grows the memory to hold `bytes`, or denies it. */
  grow(bytes: number): boolean;
}

/** The guest called an import that the sandbox does not provide. */
class ForbiddenImport extends Error {
  override readonly name = 'ForbiddenImport';
}

/**
 * The whole of the host that an instance can reach: its memory, a clock that stands still, the interrupt, growth,
 * an empty environment and the time zone UTC. Arguments are the guest's: every pointer is written through a view
 * of the guest's own memory and nowhere else.
 */
function wasmImports(pins: Pins, keeper: HostImports): WebAssembly.Imports {
  const names = pins.imports;
  const words = () => new Int32Array(keeper.memory.buffer);
  const a: { [name: string]: WebAssembly.Memory | ((...args: never[]) => unknown) } = {
    [names.memory]: keeper.memory,
    [names.now]: () => keeper.now(),
    [names.interrupt]: () => keeper.interrupt(),
    [names.resizeHeap]: (bytes: number) => keeper.grow(bytes >>> 0),
    [names.environGet]: () => 0,
    [names.environSizes]: (count: number, size: number) => {
      words()[count >> 2] = 0;
      words()[size >> 2] = 0;
      return 0;
    },
    [names.localtime]: (seconds: bigint, tm: number) => words().set(utc(seconds), tm >> 2),
    [names.tzset]: (zone: number, daylight: number, standard: number, summer: number) => {
      words()[zone >> 2] = 0;
      words()[daylight >> 2] = 0;
      for (const at of [standard, summer]) new Uint8Array(keeper.memory.buffer).set([0x55, 0x54, 0x43, 0], at);
    },
  };
  if (names.clock !== undefined)
    a[names.clock] = (_id: number, _precision: bigint, at: number) => {
      new DataView(keeper.memory.buffer).setBigInt64(at, BigInt(Math.round(keeper.now())) * NS_PER_MS, true);
      return 0;
    };
  for (const name of names.shut) a[name] = shut;
  return { a };
}

function shut(): never {
  throw new ForbiddenImport('shut');
}

const NS_PER_MS = 1_000_000n;
const DAY_MS = 86_400_000;

/** `struct tm` in UTC: seconds, minutes, hours, day, month, year, weekday, day of the year, daylight saving, offset. */
function utc(seconds: bigint): number[] {
  const at = new Date(Number(seconds) * 1000);
  const year = at.getUTCFullYear();
  const yearDay = Math.floor((at.getTime() - Date.UTC(year, 0, 1)) / DAY_MS);
  const clock = [at.getUTCSeconds(), at.getUTCMinutes(), at.getUTCHours(), at.getUTCDate(), at.getUTCMonth()];
  return [...clock, year - 1900, at.getUTCDay(), yearDay, 0, 0];
}

/** Up to here a loop is faster than the platform's encoder, which costs most of a microsecond at any length. */
const SHORT = 96;

const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** UTF-8; a lone surrogate becomes U+FFFD. */
export function encodeUtf8(text: string): Uint8Array<ArrayBuffer> {
  return (text.length <= SHORT && ascii(text)) || encoder.encode(text);
}

/** Throws a TypeError for bytes that are not UTF-8. */
function decodeUtf8(utf8: Uint8Array): string {
  if (utf8.length > SHORT) return decoder.decode(utf8);
  let text = '';
  for (const byte of utf8) {
    if (byte > 0x7f) return decoder.decode(utf8);
    text += String.fromCharCode(byte);
  }
  return text;
}

function ascii(text: string): Uint8Array<ArrayBuffer> | undefined {
  const utf8 = new Uint8Array(text.length);
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit > 0x7f) return undefined;
    utf8[at] = unit;
  }
  return utf8;
}
