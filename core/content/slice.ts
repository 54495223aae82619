import { refuse } from '../errors.ts';
import { utf8Length } from '../json/utf8.ts';
import { demand, STRING } from '../option.ts';
import { type Outcome, pass } from '../outcome.ts';
import { contentHash, lineEnd } from './text.ts';

/** Catalytic Chat Contract, Slice forms. Bounds beyond every text are kept as they are: they are out of bounds. */
export type Slice =
  | { readonly form: 'lines' | 'chars'; readonly start: number; readonly end: number }
  | { readonly form: 'head' | 'tail'; readonly count: number };

/** What a slice delivers. */
export interface Sliced {
  readonly text: string;
  readonly content_hash: string;
  /** In UTF-8. */
  readonly bytes: number;
}

/**
 * The one spelling of slices, as a regular expression: unit, start and end of a range, or end and count. Every other
 * place that reads or checks a slice takes it from here.
 */
export const SLICE_PATTERN: string =
  '^(?:(lines|chars)\\[(0|[1-9][0-9]*):(0|[1-9][0-9]*)\\]|(head|tail)\\((0|[1-9][0-9]*)\\))$';
const SLICE = new RegExp(SLICE_PATTERN);

/**
 * One spelling for each slice: ASCII, no blanks, no leading zeros, case counts. Refuses with `slice_syntax`, with
 * `slice_unbounded` for `ALL`, and with `slice_bounds` what is empty or turned round, whatever the text.
 */
export function parseSlice(slice: string): Outcome<Slice> {
  demand('slice', slice, STRING);
  if (slice.toUpperCase() === 'ALL') return refuse('slice_unbounded', {});
  const [whole, unit, start = '', stop = '', end, count = ''] = SLICE.exec(slice) ?? [];
  if (whole === undefined) return refuse('slice_syntax', { slice: slice.toWellFormed() });
  if (unit !== undefined) return ranged(slice, unit as 'lines', start, stop);
  return count === '0' ? refuse('slice_bounds', { slice }) : pass({ form: end as 'head', count: Number(count) });
}

/** True for a slice of the one spelling that is neither empty nor turned round. */
export function isSlice(slice: string): boolean {
  return parseSlice(slice).ok;
}

function ranged(slice: string, form: 'lines' | 'chars', start: string, end: string): Outcome<Slice> {
  // digit by digit: beyond 2^53 two different numbers are one double
  const isLess = start.length === end.length ? start < end : start.length < end.length;
  return isLess ? pass({ form, start: Number(start), end: Number(end) }) : refuse('slice_bounds', { slice });
}

/** Cuts a slice out of normalised text. What is out of bounds is refused with the real size, never clamped. */
export function applySlice(text: string, slice: string): Outcome<Sliced> {
  demand('text', text, STRING);
  const range = sliceRange(text, slice);
  if (!range.ok) return range;
  const cut = text.slice(range.value.start, range.value.end);
  return pass({ text: cut, content_hash: contentHash(cut), bytes: utf8Length(cut) });
}

export interface Range {
  readonly start: number;
  readonly end: number;
}

/** Where the slice lies in the text, in UTF-16 units. */
export function sliceRange(text: string, slice: string): Outcome<Range> {
  const parsed = parseSlice(slice);
  if (!parsed.ok && parsed.refusal.code !== 'slice_bounds') return parsed;
  const unit = slice.startsWith('chars') ? 'characters' : 'lines';
  const ends = unit === 'characters' ? charEnds(text) : lineEnds(text);
  const size = ends.length;
  const [from, to] = parsed.ok ? bounds(parsed.value, size) : [0, 0];
  if (from < 0 || to > size || from >= to) return refuse('slice_bounds', { slice, unit, size });
  return pass({ start: ends[from - 1] ?? 0, end: ends[to - 1] ?? 0 });
}

function bounds(slice: Slice, size: number): readonly [from: number, to: number] {
  if ('start' in slice) return [slice.start, slice.end];
  return slice.form === 'head' ? [0, slice.count] : [size - slice.count, size];
}

function lineEnds(text: string): readonly number[] {
  const ends: number[] = [];
  for (let at = 0; at < text.length; ) {
    at = lineEnd(text, at);
    ends.push(at);
  }
  return ends;
}

/** Code points: the same in every language, and no pair of surrogates is ever cut in two. */
function charEnds(text: string): readonly number[] {
  const ends: number[] = [];
  for (let at = 0; at < text.length; ) {
    at += (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
    ends.push(at);
  }
  return ends;
}
