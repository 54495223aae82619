/** Numbers from 0 to below 1. */
export type Dice = () => number;

export function pick<T>(roll: Dice, from: readonly T[]): T {
  return from[Math.floor(roll() * from.length)] as T;
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
