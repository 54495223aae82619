import { ENGINE, type EngineName } from '../core/capability/engine.ts';

/**
 * Facts about the inside of an exact build of an engine. The names are minified in the binary itself, so no bundler can
 * change them; the offsets were found by probing and are probed again by `test/sandbox/pins.node.test.ts`. An engine is
 * created with the pins of one build, and refuses every other build.
 */
export interface Pins {
  readonly engine: EngineName;
  /**
   * SHA-256 of the build after `prepareWasm`. The package ships the prepared file, so that no start prepares it again;
   * records name the build.
   */
  readonly preparedHash: string;
  readonly imports: {
    readonly memory: string;
    readonly now: string;
    /** WASI's clock; only a build that reads a clock while it makes a context has it. */
    readonly clock?: string;
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
  /** What `newContext` of its glue takes for all intrinsics of the language. */
  readonly intrinsics: number;
  /** Smallest memory, in 64 KiB pages, in which a runtime with our prelude fits. */
  readonly pagesMin: number;
}

/** The engine of this build: what an upgrade changes, with `ENGINE`. */
export const PINS: Pins = {
  engine: ENGINE,
  preparedHash: 'b44a24f3a9fc1452bc15eb98b57407e903f5f594d862fb049185c4ff136b0c03',
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
  intrinsics: 0xffff,
  pagesMin: 84,
};
