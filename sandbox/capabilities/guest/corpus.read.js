import { SLICE_PATTERN } from './lib/slice.js';
import { linesOf, textOf } from './lib/text.js';

/** Characters in one answer: a window, not the file. */
const MOST = 6000;
const FORMS = 'lines[a:b], chars[a:b], head(n) or tail(n)';

/** @param {{ path: string, slice: string }} args */
export default async function ({ path, slice }) {
  const text = textOf({ path });
  const { unit, from, to } = parse(slice);
  const parts = unit === 'chars' ? Array.from(text) : linesOf(text);
  const [start, end] = from === undefined ? [BigInt(parts.length) - to, BigInt(parts.length)] : [from, to];
  if (start < 0n || start >= end || end > BigInt(parts.length)) {
    throw refusal('slice_bounds', `${slice} is not within ${path}: it has ${parts.length} ${unit}.`);
  }
  return delivered({ path, slice, text: parts.slice(Number(start), Number(end)).join('') });
}

/**
 * One spelling each. BigInt, because 20 digits do not survive a double.
 *
 * @param {string} slice
 * @returns {{ unit: 'lines' | 'chars', from: bigint | undefined, to: bigint }}
 */
function parse(slice) {
  if (slice.toUpperCase() === 'ALL') throw refusal('slice_unbounded', `ALL is not a slice. Use ${FORMS}.`);
  const match = new RegExp(SLICE_PATTERN).exec(slice);
  if (match === null) throw refusal('slice_syntax', `${JSON.stringify(slice)} is not a slice. Use ${FORMS}.`);
  const [, range, a = '', b = '', end, n = ''] = match;
  if (range !== undefined) return { unit: range === 'chars' ? 'chars' : 'lines', from: BigInt(a), to: BigInt(b) };
  return { unit: 'lines', from: end === 'head' ? 0n : undefined, to: BigInt(n) };
}

/** @param {{ path: string, slice: string, text: string }} answer */
function delivered(answer) {
  if (answer.text.length <= MOST) return answer;
  throw refusal('slice_too_long', `${answer.slice} is ${answer.text.length} characters, one read gives ${MOST}.`);
}

/**
 * @param {string} name
 * @param {string} message
 */
function refusal(name, message) {
  return Object.assign(new Error(message), { name });
}
