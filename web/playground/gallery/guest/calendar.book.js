import { files } from './files.js';

/**
 * Keeps a booking under its date and time. The same booking again changes nothing; another booking for a time that is
 * taken is refused.
 *
 * @param {{ date: string, time: string, minutes: number, title: string }} args
 * @param {{ store: { get(key: string): Promise<unknown>, put(key: string, value: unknown): Promise<void> } }} powers
 */
export default async function ({ date, time, minutes, title }, { store }) {
  const key = `${date} ${time}`;
  const before = /** @type {{ title: string, minutes: number } | null} */ (await store.get(key));
  const repeated = before !== null && before.title === title && before.minutes === minutes;
  if (before !== null && !repeated) throw taken(`${key} is booked already.`);
  const start = minuteOf(time);
  const all = /** @type {{ date: string, from: string, to: string }[]} */ (
    JSON.parse(files['calendar/week.json'] ?? '[]')
  );
  const clash = all.find(
    (each) => each.date === date && minuteOf(each.from) < start + minutes && start < minuteOf(each.to),
  );
  if (clash !== undefined) throw taken(`From ${clash.from} to ${clash.to} there is another event.`);
  if (!repeated) await store.put(key, { title, minutes });
  return { date, time, minutes, title, repeated };
}

/** @param {string} message */
function taken(message) {
  return Object.assign(new Error(message), { name: 'time_taken' });
}

/** @param {string} time */
function minuteOf(time) {
  return Number(time.slice(0, 2)) * 60 + Number(time.slice(3));
}
