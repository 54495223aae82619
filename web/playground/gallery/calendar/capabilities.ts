import { link } from '../../../../sandbox/capabilities/link.ts';
import { closed, DATE, list, TIME, words } from '../../../../sandbox/capabilities/schema.ts';
import type { CapabilityDefinition } from '../../../../workers/api.ts';
import bookSource from '../guest/calendar.book.js?raw';
import cancelSource from '../guest/calendar.cancel.js?raw';
import eventsSource from '../guest/calendar.events.js?raw';
import freeSource from '../guest/calendar.free.js?raw';
import { WEEK } from './papers.ts';

const ID = { type: 'string', pattern: '^e-[1-9][0-9]{0,3}$', description: 'As calendar.events gives it.' };
const MINUTES = { type: 'integer', minimum: 15, maximum: 240 };
const TITLE = words(200, 'One line.');
const LINE = { type: 'string', maxLength: 400 };

const events: CapabilityDefinition = {
  name: 'calendar.events',
  version: '1.0.0',
  description: 'Lists the events of a day. Other people may have written their titles.',
  args: closed({ date: DATE }),
  result: closed({
    date: DATE,
    events: list(closed({ id: ID, date: DATE, from: TIME, to: TIME, title: LINE, by: LINE }), 100),
  }),
  effect: 'read',
  source: link(eventsSource, WEEK),
};

const free: CapabilityDefinition = {
  name: 'calendar.free',
  version: '1.0.0',
  description: 'Lists the gaps of a day between 09:00 and 17:00 that have at least so many minutes.',
  args: closed({ date: DATE, minutes: MINUTES }),
  result: closed({ date: DATE, free: list(closed({ from: TIME, to: TIME }), 100) }),
  effect: 'read',
  labels: ['private'],
  source: link(freeSource, WEEK),
};

const book: CapabilityDefinition = {
  name: 'calendar.book',
  version: '1.0.0',
  description: 'Books a time that is free. The booking is kept on this device, under its date and time.',
  args: closed({ date: DATE, time: TIME, minutes: MINUTES, title: TITLE }),
  result: closed({ date: DATE, time: TIME, minutes: MINUTES, title: TITLE, repeated: { type: 'boolean' } }),
  effect: 'write',
  powers: ['store.get', 'store.put'],
  source: link(bookSource, WEEK),
};

const cancel: CapabilityDefinition = {
  name: 'calendar.cancel',
  version: '1.0.0',
  description: 'Cancels an event.',
  args: closed({ id: ID }),
  result: closed({ id: ID, state: { const: 'cancelled' } }),
  effect: 'write',
  powers: ['store.put'],
  source: cancelSource,
};

export const CALENDAR_CAPABILITIES: readonly CapabilityDefinition[] = [events, free, book, cancel];
