import { dateOf, dayNumber, formatDate, parseDate } from './lib/date.js';
import { textOf } from './lib/text.js';

/**
 * The bakery bakes from Tuesday to Saturday. Day 0 of the count is a Thursday.
 *
 * @param {number} day
 */
const isBakeDay = (day) => ![3, 4].includes(((day % 7) + 7) % 7);

/**
 * @typedef {'strong-white' | 'wholemeal' | 'rye'} Flour
 * @typedef {{ kg: number, grams_per_loaf: number, next_delivery: { date: string } }} Shelf
 */

/** @param {{ flour: Flour, loaves_per_day: number }} args */
export default async function ({ flour, loaves_per_day }) {
  const stock = /** @type {{ counted_on: string, flours: Record<Flour, Shelf> }} */ (
    JSON.parse(textOf({ path: 'stock.json' }))
  );
  const { kg, grams_per_loaf, next_delivery } = stock.flours[flour];
  const days = Math.floor((kg * 1000) / (grams_per_loaf * loaves_per_day));
  const lasts_until = after(stock.counted_on, days);
  return { flour, kg, days, lasts_until, before_next_delivery: lasts_until < next_delivery.date };
}

/**
 * The last of so many bake days after a date.
 *
 * @param {string} date
 * @param {number} days
 */
function after(date, days) {
  let day = dayNumber(parseDate(date));
  for (let left = days; left > 0; ) {
    day += 1;
    if (isBakeDay(day)) left -= 1;
  }
  return formatDate(dateOf(day));
}
