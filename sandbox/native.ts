import type { Pins } from './pins.ts';
import { STACK_LOW } from './wasm/prepare.ts';

type Fn<A extends number[]> = (...args: A) => number;

/** The engine's C functions under their own names, each called directly. A pointer is a plain number; 0 is none. */
export interface Native {
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
export function nativeOf(pins: Pins, exports: WebAssembly.Exports): Native {
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
