import { amounts } from './en/amounts.ts';
import { number } from './intl.ts';

/** A duration for reading: `12 ms`, `1.3 s`, `4 min 5 s`. */
export function elapsed(ms: number): string {
  if (ms < 1) return amounts().underMs;
  if (ms < 1000) return `${number(Math.round(ms))} ms`;
  if (ms < 60_000) return `${number(ms / 1000, { maximumFractionDigits: 1 })} s`;
  const seconds = Math.round(ms / 1000);
  return `${number(Math.floor(seconds / 60))} min ${seconds % 60} s`;
}

/** A stretch of time in the largest unit that fits: `2 min`, `3 days`. */
export function roughly(ms: number): string {
  if (ms >= DAY_MS) return amounts().days(Math.round(ms / DAY_MS));
  const [unit, size] = UNITS.find(([, each]) => ms >= each) ?? SECONDS;
  return `${number(Math.round(ms / size))} ${unit}`;
}

const DAY_MS = 86_400_000;
const SECONDS = ['s', 1000] as const;
const UNITS = [['h', 3_600_000], ['min', 60_000], SECONDS] as const;

/** A size as a person reads it, rounded: `12 bytes`, `1.5 MB`. */
export function byteSize(bytes: number): string {
  const unit = BYTE_UNITS.find(([size]) => bytes >= size);
  if (unit === undefined) return amounts().bytes(bytes);
  return `${number(bytes / unit[0], { maximumFractionDigits: 1 })} ${unit[1]}`;
}

/** Units of bytes, the largest first; their names are the same in every language. */
export const BYTE_UNITS: readonly (readonly [size: number, name: string])[] = [
  [1 << 30, 'GB'],
  [1 << 20, 'MB'],
  [1 << 10, 'KB'],
];

/** An amount of money; below one unit of its currency with three digits that count: `$0.00123`, `€12.30`. */
export function money(amount: number, currency: string): string {
  const digits = amount > 0 && amount < 1 ? { maximumSignificantDigits: 3 } : {};
  return number(amount, { style: 'currency', currency, ...digits });
}
