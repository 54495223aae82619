import type { Pins } from '../../sandbox/pins.ts';

/** quickjs-ng 0.12.1, from the packages that the engine of the product comes from: the second engine of the driver. */
export const QUICKJS_NG: Pins = {
  engine: {
    name: '@jitl/quickjs-ng-wasmfile-release-sync 0.32.0',
    hash: 'b56fe5094b8751c47b8c32fb5ed4d75afe2dbb43412d3d983ac5d1156af456da',
  },
  preparedHash: 'c6fa2f0baddd3b999d689b1e05c258bd6d0d7364a2161d4bfc7b1c966a267a27',
  imports: {
    memory: 'a',
    now: 'p',
    clock: 'q',
    interrupt: 'i',
    resizeHeap: 'k',
    environGet: 'e',
    environSizes: 'f',
    localtime: 'm',
    tzset: 'n',
    shut: ['b', 'c', 'd', 'g', 'h', 'j', 'l', 'o', 'r', 's', 't', 'u'],
  },
  exports: {
    start: 'v',
    malloc: 'w',
    free: 'N',
    newRuntime: 'L',
    newContext: 'O',
    setStackSize: 'E',
    enableInterrupts: 'Ga',
    undefined: 'F',
    newString: '$',
    getString: 'aa',
    getProp: 'ia',
    eval: 'qa',
    call: 'na',
    resolveException: 'oa',
    isJobPending: 'ga',
    executeJobs: 'ha',
  },
  context: { randomState: 280, interruptCounter: 288 },
  runtime: { stackLimit: 136 },
  stack: { low: 99_952, high: 5_342_832 },
  pollInterval: 10_000,
  // Each single flag leaves BigInt out.
  intrinsics: 0,
  pagesMin: 84,
};
