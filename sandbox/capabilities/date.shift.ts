import type { CapabilityManifest } from '../../core/capability/capability.ts';
import { CALL_LIMITS } from '../../core/limits.ts';
import source from './guest/date.shift.js?raw';
import { link } from './link.ts';
import { closed, DATE } from './schema.ts';

const WEEKDAY = { enum: ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'] };
const shift = (most: number) => ({ type: 'integer', minimum: -most, maximum: most });

/** Civil dates: no clock, no time zone. */
export const dateShift: CapabilityManifest = {
  name: 'date.shift',
  version: '1.0.0',
  description:
    'Moves a date by months, then weeks and days, and names the weekday. 31 January plus a month is the last of February.',
  args: closed({ date: DATE, months: shift(1200), weeks: shift(5200), days: shift(36600) }, [
    'months',
    'weeks',
    'days',
  ]),
  result: closed({ date: DATE, weekday: WEEKDAY }),
  effect: 'pure',
  powers: [],
  limits: { ...CALL_LIMITS, fuel: 100_000, bytesIn: 1024, bytesOut: 1024 },
  source: link(source),
};
