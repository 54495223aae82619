import { parseDate } from './lib/date.js';
import { textOf } from './lib/text.js';

/** @typedef {{ date: string, time: string, title: string, who?: string, note?: string }} Event */

/** @param {{ from?: string, to?: string, words?: string, limit?: number }} args */
export default async function ({ from = '0001-01-01', to = '9999-12-31', words = '', limit = 20 }) {
  for (const date of [from, to]) parseDate(date);
  if (from > to) throw new RangeError(`${from} is after ${to}.`);
  const { events } = /** @type {{ events: Event[] }} */ (JSON.parse(textOf({ path: 'calendar.json' })));
  const found = events.filter((event) => event.date >= from && event.date <= to && says(event, words));
  return { events: found.slice(0, limit), more: Math.max(0, found.length - limit) };
}

/**
 * @param {Event} event
 * @param {string} words
 */
function says({ title, who = '', note = '' }, words) {
  const text = `${title} ${who} ${note}`.toLowerCase();
  return words
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}
