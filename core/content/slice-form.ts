/** Catalytic Chat Contract, Slice forms. Bounds beyond every text are kept as they are: they are out of bounds. */
export type Slice =
  | { readonly form: 'lines' | 'chars'; readonly start: number; readonly end: number }
  | { readonly form: 'head' | 'tail'; readonly count: number };

/**
 * The only spelling of slices, as a regular expression: unit, start and end of a range, or end and count. All code that
 * reads or checks a slice uses it.
 */
export const SLICE_PATTERN: string =
  '^(?:(lines|chars)\\[(0|[1-9][0-9]*):(0|[1-9][0-9]*)\\]|(head|tail)\\((0|[1-9][0-9]*)\\))$';
const SLICE = new RegExp(SLICE_PATTERN);

/**
 * The slice that a text spells, or the reason for refusal: another spelling, `ALL`, or a range that is empty or turned
 * round.
 */
export function readSlice(text: string): Slice | 'slice_syntax' | 'slice_unbounded' | 'slice_bounds' {
  if (text.toUpperCase() === 'ALL') return 'slice_unbounded';
  const [whole, unit, start = '', stop = '', end, count = ''] = SLICE.exec(text) ?? [];
  if (whole === undefined) return 'slice_syntax';
  if (unit === undefined) return count === '0' ? 'slice_bounds' : { form: end as 'head', count: Number(count) };
  // digit by digit: beyond 2^53 two different numbers are the same double
  const isLess = start.length === stop.length ? start < stop : start.length < stop.length;
  return isLess ? { form: unit as 'lines', start: Number(start), end: Number(stop) } : 'slice_bounds';
}

/** True for a correctly spelled slice that is neither empty nor turned round. */
export function isSlice(text: string): boolean {
  return typeof readSlice(text) === 'object';
}
