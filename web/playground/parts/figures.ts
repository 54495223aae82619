import type { JsonObject } from '../../../core/index.ts';

/** Below this the bytes themselves are as short; budgets of content are counted in them everywhere. */
const UNITS_FROM = 1 << 16;

const UNITS = [
  [1 << 30, 'GB'],
  [1 << 20, 'MB'],
  [1 << 10, 'KB'],
] as const;

/**
 * A sentence of the ledger with figures for people: digits grouped, and bytes in the largest unit that is exact.
 * Records and replies stay as they are. Only numbers that are in the sentence's own details change.
 */
export function inFigures(message: string, details: JsonObject | undefined): string {
  const own = new Set(Object.values(details ?? {}).map(String));
  const isBytes = / bytes\b/u.test(message);
  return message.replace(/(?<![\w.,])(\d{4,15})( bytes)?(?![\w.]\d)/gu, (all: string, digits: string, unit = '') => {
    if (!own.has(digits)) return all;
    return isBytes ? bytes(Number(digits)) : `${Number(digits).toLocaleString()}${unit}`;
  });
}

/** A size as a person reads it; rounded, where `inFigures` is exact. */
export function inBytes(amount: number): string {
  const unit = UNITS.find(([size]) => amount >= size);
  if (unit === undefined) return `${amount.toLocaleString()} bytes`;
  return `${(amount / unit[0]).toLocaleString(undefined, { maximumFractionDigits: 1 })} ${unit[1]}`;
}

function bytes(amount: number): string {
  const [size, unit] = UNITS.find(([each]) => amount >= UNITS_FROM && amount % each === 0) ?? [1, 'bytes'];
  return `${(amount / size).toLocaleString()} ${unit}`;
}
