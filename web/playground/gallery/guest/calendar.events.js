import { files } from './files.js';

/**
 * The events of a day, in their order. A title is written by the one who invites.
 *
 * @param {{ date: string }} args
 */
export default async function ({ date }) {
  const all = /** @type {{ date: string, from: string }[]} */ (JSON.parse(files['calendar/week.json'] ?? '[]'));
  const events = all.filter((each) => each.date === date).sort((a, b) => (a.from < b.from ? -1 : 1));
  return { date, events };
}
