import { files } from './files.js';

/** Opening hours, in minutes of the day. */
const OPEN = 9 * 60;
const CLOSE = 17 * 60;

/**
 * The gaps of a day that have at least this length, within the opening hours.
 *
 * @param {{ date: string, minutes: number }} args
 */
export default async function ({ date, minutes }) {
  const all = /** @type {{ date: string, from: string, to: string }[]} */ (
    JSON.parse(files['calendar/week.json'] ?? '[]')
  );
  const busy = all.filter((each) => each.date === date).map(({ from, to }) => [minuteOf(from), minuteOf(to)]);
  busy.sort(([a = 0], [b = 0]) => a - b);
  const free = [];
  let at = OPEN;
  for (const [from = 0, to = 0] of [...busy, [CLOSE, CLOSE]]) {
    if (from - at >= minutes) free.push({ from: timeOf(at), to: timeOf(from) });
    at = Math.max(at, to);
  }
  return { date, free };
}

/** @param {string} time */
function minuteOf(time) {
  return Number(time.slice(0, 2)) * 60 + Number(time.slice(3));
}

/** @param {number} minute */
function timeOf(minute) {
  return `${String(Math.floor(minute / 60)).padStart(2, '0')}:${String(minute % 60).padStart(2, '0')}`;
}
