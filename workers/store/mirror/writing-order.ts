import type { Waiting } from './waiting.ts';

type Written = Pick<Waiting, 'file' | 'end' | 'at' | 'whole'>;

/**
 * Orders content by its writing: content of a file by its place there, whatever the clock said, and files by the time.
 * Complete table contents come before content that another file got at the same time.
 */
export function inWritingOrder<T extends Written>(contents: readonly T[]): readonly T[] {
  const times = new Map<string, number>();
  const timeIn = ({ file, at, whole }: T): number => {
    const before = times.get(file) ?? 0;
    // half a millisecond: complete contents void what their file got in the same millisecond before
    const time = whole && at <= before ? before + 0.5 : Math.max(at, before);
    times.set(file, time);
    return time;
  };
  const timed = contents.toSorted(byEnd).map((each) => ({ each, time: timeIn(each) }));
  const isFirst = ({ each }: { readonly each: T }) => (each.whole ? 0 : 1);
  return timed
    .toSorted((one, other) => one.time - other.time || isFirst(one) - isFirst(other) || byEnd(one.each, other.each))
    .map(({ each }) => each);
}

function byEnd(one: Written, other: Written): number {
  return one.end - other.end;
}
