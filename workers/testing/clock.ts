/** A clock that stands still until a test advances it. */
export interface FakeClock {
  /** Integer ms since epoch. */
  now(): number;
  advance(ms: number): void;
}

export function fakeClock(start = 0): FakeClock {
  let now = start;
  return {
    now: () => now,
    advance: (ms) => void (now += ms),
  };
}
