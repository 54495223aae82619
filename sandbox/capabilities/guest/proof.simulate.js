/** Doubled in eight hours at 18 degrees; twice as fast for every eight degrees more. */
const HOURS = 8;

/** @param {{ mixed_at: string, degrees: number, minutes_per_step: number }} args */
export default async function ({ mixed_at, degrees, minutes_per_step }) {
  const perMinute = 2 ** ((degrees - 18) / 8) / (HOURS * 60);
  let minutes = 0;
  for (let risen = 0; risen < 1; risen += perMinute * minutes_per_step) minutes += minutes_per_step;
  return { minutes, ready_at: clock(mixed_at, minutes) };
}

/**
 * @param {string} from
 * @param {number} minutes
 */
function clock(from, minutes) {
  const [hour = 0, minute = 0] = from.split(':').map(Number);
  const at = (hour * 60 + minute + Math.ceil(minutes)) % 1440;
  return `${String(Math.floor(at / 60)).padStart(2, '0')}:${String(at % 60).padStart(2, '0')}`;
}
