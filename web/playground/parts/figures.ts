import type { JsonObject } from '../../../core/index.ts';
import { BYTE_UNITS } from '../../texts/amounts.ts';
import { number } from '../../texts/intl.ts';

/** Below this the bytes themselves are as short; budgets of content are counted in them everywhere. */
const UNITS_FROM = 1 << 16;

/**
 * A sentence of the ledger with figures for people: digits grouped, and bytes in the largest unit that is exact.
 * Records and replies stay as they are. Only numbers that are in the sentence's own details change.
 */
export function inFigures(message: string, details: JsonObject | undefined): string {
  const own = new Set(Object.values(details ?? {}).map(String));
  const isBytes = / bytes\b/u.test(message);
  return message.replace(/(?<![\w.,])(\d{4,15})( bytes)?(?![\w.]\d)/gu, (all: string, digits: string, unit = '') => {
    if (!own.has(digits)) return all;
    return isBytes ? bytes(Number(digits)) : `${number(Number(digits))}${unit}`;
  });
}

function bytes(amount: number): string {
  const [size, unit] = BYTE_UNITS.find(([each]) => amount >= UNITS_FROM && amount % each === 0) ?? [1, 'bytes'];
  return `${number(amount / size)} ${unit}`;
}
