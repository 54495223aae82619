import { dayNumber, parseDate, weekdayOf } from './lib/date.js';

/**
 * Stores nothing itself: the entry is kept in the ledger, as this call's arguments and result.
 *
 * @param {{ date: string, time: string, title: string, note?: string }} args
 */
export default async function ({ date, time, title, note }) {
  const weekday = weekdayOf(dayNumber(parseDate(date)));
  return { kept_in: 'receipt', event: { date, weekday, time, title, ...(note === undefined ? {} : { note }) } };
}
