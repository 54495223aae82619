import type { CapabilityManifest } from '../../core/capability/capability.ts';
import { CALL_LIMITS } from '../../core/limits.ts';
import source from './guest/calendar.find.js?raw';
import { type Files, link } from './link.ts';
import { closed, count, DATE, list, TIME, words } from './schema.ts';

const TEXT = { type: 'string' };
const EVENT = closed({ date: DATE, time: TIME, title: TEXT, who: TEXT, note: TEXT }, ['who', 'note']);

export function calendarFind(files: Files): CapabilityManifest {
  return {
    name: 'calendar.find',
    version: '1.0.0',
    description: 'Finds calendar entries between two dates, both included, that hold every given word.',
    args: {
      ...closed(
        {
          from: DATE,
          to: DATE,
          words: words(200, 'Case does not matter.'),
          limit: { type: 'integer', minimum: 1, maximum: 50, description: 'Entries shown; 20 if left out.' },
        },
        ['from', 'to', 'words', 'limit'],
      ),
      minProperties: 1,
    },
    result: closed({ events: list(EVENT, 50), more: count(100_000, 'Entries that are not shown.') }),
    effect: 'read',
    powers: [],
    limits: { ...CALL_LIMITS, fuel: 1_000_000, bytesIn: 2048, bytesOut: 32 << 10 },
    source: link(source, files),
  };
}
