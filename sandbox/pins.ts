import { ENGINE } from '../core/capability/engine.ts';

/**
 * Facts about the inside of an exact build of the engine, keyed by the SHA-256 of its bytes. The names are minified in
 * the binary itself, so no bundler can change them; the offsets were found by probing and are probed again by
 * `test/sandbox/pins.test.ts`. A build that is not in this table is refused.
 */
export interface Pins {
  readonly build: string;
  readonly imports: {
    readonly memory: string;
    readonly now: string;
    readonly interrupt: string;
    readonly resizeHeap: string;
    readonly environGet: string;
    readonly environSizes: string;
    readonly localtime: string;
    readonly tzset: string;
    /**
     * Files, timers, exit, host functions, module loading: forbidden imports. Calling a forbidden import kills the
     * instance.
     */
    readonly shut: readonly string[];
  };
  readonly exports: {
    readonly start: string;
    readonly malloc: string;
    readonly free: string;
    readonly newRuntime: string;
    readonly newContext: string;
    readonly setStackSize: string;
    readonly enableInterrupts: string;
    readonly undefined: string;
    readonly newString: string;
    readonly getString: string;
    readonly getProp: string;
    readonly eval: string;
    readonly call: string;
    readonly resolveException: string;
    readonly isJobPending: string;
    readonly executeJobs: string;
  };
  /** Byte offsets from JSContext*. */
  readonly context: { readonly randomState: number; readonly interruptCounter: number };
  /** Byte offset from JSRuntime*. */
  readonly runtime: { readonly stackLimit: number };
  /** The C stack grows down from `high` to `low`; static data lies below it, the heap above. */
  readonly stack: { readonly low: number; readonly high: number };
  /**
   * Value to which the engine sets the interrupt counter before it polls; also the grain of a regular expression's own
   * counter.
   */
  readonly pollInterval: number;
  /** Smallest memory, in 64 KiB pages, in which a runtime with our prelude fits. */
  readonly pagesMin: number;
}

const RELEASE_SYNC_0_32_0: Pins = {
  build: ENGINE.name,
  imports: {
    memory: 'a',
    now: 'p',
    interrupt: 'i',
    resizeHeap: 'k',
    environGet: 'e',
    environSizes: 'f',
    localtime: 'm',
    tzset: 'n',
    shut: ['b', 'c', 'd', 'g', 'h', 'j', 'l', 'o', 'q', 'r', 's', 't'],
  },
  exports: {
    start: 'u',
    malloc: 'v',
    free: 'M',
    newRuntime: 'K',
    newContext: 'N',
    setStackSize: 'D',
    enableInterrupts: 'Fa',
    undefined: 'E',
    newString: '_',
    getString: '$',
    getProp: 'ha',
    eval: 'pa',
    call: 'ma',
    resolveException: 'na',
    isJobPending: 'fa',
    executeJobs: 'ga',
  },
  context: { randomState: 224, interruptCounter: 232 },
  runtime: { stackLimit: 128 },
  stack: { low: 90_208, high: 5_333_088 },
  pollInterval: 10_000,
  pagesMin: 84,
};

export const PINS: { readonly [wasmHash: string]: Pins } = {
  [ENGINE.hash]: RELEASE_SYNC_0_32_0,
};

/**
 * SHA-256 of each pinned build after `prepareWasm`, with the hash of the build. The package ships the prepared file, so
 * that no start prepares it again; records name the build.
 */
export const PREPARED: { readonly [preparedHash: string]: string } = {
  b44a24f3a9fc1452bc15eb98b57407e903f5f594d862fb049185c4ff136b0c03: ENGINE.hash,
};
