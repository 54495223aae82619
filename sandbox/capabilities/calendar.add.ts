import type { CapabilityManifest } from '../../core/capability/capability.ts';
import { CALL_LIMITS } from '../../core/limits.ts';
import source from './guest/calendar.add.js?raw';
import { link } from './link.ts';
import { closed, DATE, TIME, words } from './schema.ts';

const TITLE = words(120, 'One line.');
const NOTE = words(500, 'More, if there is more.');

/** Has the effect `write`: the ledger keeps the event for good, and a person is asked first. */
export const calendarAdd: CapabilityManifest = {
  name: 'calendar.add',
  version: '1.0.0',
  description:
    'Enters an event. It is kept in the ledger, in the receipt of this very call; calendar.find does not see it.',
  args: closed({ date: DATE, time: TIME, title: TITLE, note: NOTE }, ['note']),
  result: closed({
    kept_in: { const: 'receipt' },
    event: closed({ date: DATE, weekday: { type: 'string' }, time: TIME, title: TITLE, note: NOTE }, ['note']),
  }),
  effect: 'write',
  powers: [],
  limits: { ...CALL_LIMITS, fuel: 100_000, bytesIn: 8192, bytesOut: 8192 },
  source: link(source),
};
