/** Two or more ways to do the same, measured in turns in one process: a busy moment of the machine hits all of them. */
export interface Side {
  readonly name: string;
  /** A sample in µs per operation. */
  readonly sample: () => number | Promise<number>;
}

/**
 * µs per operation: the fastest sample, which is nearest to the cost of the code, and the middle one of the samples.
 */
export interface Times {
  readonly best: number;
  readonly median: number;
}

export interface Raced {
  readonly name: string;
  readonly times: Times;
  /** The ratio of ours to this side: of the best samples, and the median over the rounds. */
  readonly ratio: Times;
}

/** Samples all sides in turn, in reverse order every second round. Ours is the first side. */
export async function race(sides: readonly Side[], rounds: number): Promise<readonly Raced[]> {
  const samples = sides.map((): number[] => []);
  for (let round = 0; round < rounds; round++) {
    const turn = [...sides.keys()];
    for (const at of round % 2 === 0 ? turn : turn.reverse())
      samples[at]?.push((await sides[at]?.sample()) ?? Number.NaN);
  }
  const [ours = []] = samples;
  return sides.map(({ name }, at) => {
    const theirs = samples[at] ?? [];
    const paired = theirs.map((time, round) => (ours[round] ?? Number.NaN) / time);
    return {
      name,
      times: timesOf(theirs),
      ratio: { best: Math.min(...ours) / Math.min(...theirs), median: median(paired) },
    };
  });
}

export function timesOf(samples: readonly number[]): Times {
  return { best: Math.min(...samples), median: median(samples) };
}

export function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[numbers.length >> 1] ?? Number.NaN;
}

/** The last result of an operation: no computed value may look unused to the engine. */
const sink: { kept: unknown } = { kept: undefined };

/** A side that calls a function as often as fits into a sample, after enough calls to have it compiled. */
export function calls(name: string, call: () => unknown, { sampleMs = 25, warmMs = 200 } = {}): Side {
  let count = 0;
  const run = (times: number): number => {
    const start = performance.now();
    for (let at = 0; at < times; at++) sink.kept = call();
    return performance.now() - start;
  };
  const calibrate = (): number => {
    let times = 1;
    let spent = 0;
    for (let elapsed = 0; elapsed < warmMs; elapsed += spent) {
      spent = run(times);
      if (spent < sampleMs / 2) times *= 2;
    }
    return Math.max(1, Math.round((times * sampleMs) / spent));
  };
  return {
    name,
    sample() {
      if (count === 0) count = calibrate();
      return (run(count) * 1000) / count;
    },
  };
}
