import { Session } from 'node:inspector';
import { setFlagsFromString } from 'node:v8';

/** Files whose loops run over bytes, which grow with each text and hide the work on records. */
const OVER_BYTES = /\/core\/(hash|json\/[\w-]+)\.ts$/u;

/** Counts work; no clock is read, so a busy machine counts the same. */
export interface WorkCounter {
  /** Runs the work, and returns how often its parts ran. */
  readonly count: (work: () => unknown) => number;
  /** As `count`, for work that ends later. */
  readonly counted: (work: () => Promise<unknown>) => Promise<number>;
  readonly close: () => void;
}

/**
 * Counts each run of a block of our own code, by V8's counters, and each element that a method of an array or a text
 * passes over natively, where those counters see nothing. V8 compiles nothing further meanwhile: optimized code loses two
 * thirds of the counters, and when it comes depends on how busy the machine is.
 */
export function openWorkCounter(): WorkCounter {
  setFlagsFromString('--no-opt');
  const session = new Session();
  session.connect();
  session.post('Profiler.enable');
  session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
  return {
    count: (work) => {
      blocksRun(session);
      const elements = countElements();
      try {
        work();
      } finally {
        elements.end();
      }
      return elements.passed() + blocksRun(session);
    },
    counted: async (work) => {
      blocksRun(session);
      const elements = countElements();
      await work().finally(elements.end);
      return elements.passed() + blocksRun(session);
    },
    close: () => {
      session.disconnect();
      setFlagsFromString('--opt');
    },
  };
}

/** The counters since the last call. */
function blocksRun(session: Session): number {
  let sum = 0;
  session.post('Profiler.takePreciseCoverage', (error, answer) => {
    if (error !== null) throw error;
    for (const { url, functions } of answer.result)
      if (/\/(core|web|workers|test)\//u.test(url) && !url.includes('node_modules') && !OVER_BYTES.test(url))
        for (const { ranges } of functions) for (const { count } of ranges) sum += count;
  });
  return sum;
}

type Methods = { [name: string | symbol]: unknown };

const WHOLE = ['slice', 'concat', 'flat', 'join', 'toSpliced', 'with', 'splice', 'shift', 'unshift', Symbol.iterator];
const SEARCHES = ['indexOf', 'includes', 'lastIndexOf'];

/** Counts elements and characters that native methods pass over, until its end. */
function countElements(): { passed(): number; end(): void } {
  let sum = 0;
  const undo: (() => void)[] = [];
  const replace = (
    of: object,
    name: string | symbol,
    passed: (self: Sized, args: unknown[], found: unknown) => number,
  ) => {
    const methods = of as Methods;
    const native = methods[name] as (...args: unknown[]) => unknown;
    methods[name] = function (this: Sized, ...args: unknown[]): unknown {
      const found = native.apply(this, args);
      sum += passed(this, args, found);
      return found;
    };
    undo.push(() => (methods[name] = native));
  };
  for (const name of WHOLE) replace(Array.prototype, name, ({ length }) => length);
  replace(String.prototype, 'split', ({ length }) => length);
  for (const of of [Array.prototype, String.prototype])
    for (const name of SEARCHES)
      replace(of, name, ({ length }, [, from], found) => {
        const begun = typeof from === 'number' ? from : 0;
        return typeof found === 'number' && found >= 0 ? Math.abs(found - begun) : Math.max(length - begun, 0);
      });
  return {
    passed: () => sum,
    end: () => {
      for (const each of undo.splice(0)) each();
    },
  };
}

interface Sized {
  readonly length: number;
}
