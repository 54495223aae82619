import { dateOf, dayNumber, daysIn, formatDate, parseDate, weekdayOf } from './lib/date.js';

/**
 * Months first, and to the month's last day where the day is missing; then weeks and days.
 *
 * @param {{ date: string, months?: number, weeks?: number, days?: number }} args
 */
export default async function ({ date, months = 0, weeks = 0, days = 0 }) {
  const { year, month, day } = parseDate(date);
  const count = year * 12 + month - 1 + months;
  const to = { year: Math.floor(count / 12), month: (((count % 12) + 12) % 12) + 1 };
  formatDate({ ...to, day: 1 });
  const number = dayNumber({ ...to, day: Math.min(day, daysIn(to.year, to.month)) }) + weeks * 7 + days;
  return { date: formatDate(dateOf(number)), weekday: weekdayOf(number) };
}
