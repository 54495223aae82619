import type { Pins } from './pins.ts';

/** Functions that an instance gives the engine as imports. All further imports are forbidden. */
export interface HostImports {
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
export function wasmImports(pins: Pins, keeper: HostImports): WebAssembly.Imports {
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
  for (const name of names.shut) a[name] = shut;
  return { a };
}

function shut(): never {
  throw new ForbiddenImport('shut');
}

const DAY_MS = 86_400_000;

/** `struct tm` in UTC: seconds, minutes, hours, day, month, year, weekday, day of the year, daylight saving, offset. */
function utc(seconds: bigint): number[] {
  const at = new Date(Number(seconds) * 1000);
  const year = at.getUTCFullYear();
  const yearDay = Math.floor((at.getTime() - Date.UTC(year, 0, 1)) / DAY_MS);
  const clock = [at.getUTCSeconds(), at.getUTCMinutes(), at.getUTCHours(), at.getUTCDate(), at.getUTCMonth()];
  return [...clock, year - 1900, at.getUTCDay(), yearDay, 0, 0];
}
