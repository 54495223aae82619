import { refuse } from '../errors.ts';
import { utf8Length } from '../json/utf8.ts';
import { demand, STRING } from '../option.ts';
import { type Outcome, pass } from '../outcome.ts';
import { readSlice, type Slice } from './slice-form.ts';
import { contentHash, lineEnd } from './text.ts';

/** Text of a slice. */
export interface Sliced {
  readonly text: string;
  readonly content_hash: string;
  /** In UTF-8. */
  readonly bytes: number;
}

/**
 * Parses a slice. Each slice has a single spelling: ASCII, no blanks, no leading zeros, case counts. Refuses with
 * `slice_syntax`, with `slice_unbounded` for `ALL`, and with `slice_bounds` a slice that is empty or turned round in
 * every text.
 */
export function parseSlice(slice: string): Outcome<Slice> {
  demand('slice', slice, STRING);
  const read = readSlice(slice);
  if (read === 'slice_unbounded') return refuse(read, {});
  if (read === 'slice_syntax') return refuse(read, { slice: slice.toWellFormed() });
  return read === 'slice_bounds' ? refuse(read, { slice }) : pass(read);
}

/** Cuts a slice out of normalised text. A slice out of bounds is refused with the real size, never clamped. */
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

/** Range of the slice in the text, in UTF-16 units. */
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
  switch (slice.form) {
    case 'lines':
    case 'chars':
      return [slice.start, slice.end];
    case 'head':
      return [0, slice.count];
    case 'tail':
      return [size - slice.count, size];
  }
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
