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

/** A number of bytes, exact: `1,048,609 bytes`. */
export function byteCount(bytes: number): string {
  return amounts().bytes(bytes);
}

/** A size as a person reads it, rounded, in the units of a file list: `12 bytes`, `1.5 MB`, `280 KB`. */
export function byteSize(bytes: number): string {
  const unit = SIZE_UNITS.find(([size]) => bytes >= size);
  if (unit === undefined) return byteCount(bytes);
  const figure = bytes / unit[0];
  return `${number(figure, { maximumFractionDigits: figure < 10 ? 1 : 0 })} ${unit[1]}`;
}

const SIZE_UNITS: readonly (readonly [size: number, name: string])[] = [
  [1e9, 'GB'],
  [1e6, 'MB'],
  [1e3, 'KB'],
];

/** Units of limits, which are powers of two, the largest first; their names are the same in every language. */
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
