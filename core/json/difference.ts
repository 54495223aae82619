import { canonicalText } from './canonical.ts';
import { isList, isObject, type JsonValue, member, pointerTo } from './value.ts';

/** A place at which two JSON values differ. */
export interface ChangedPlace {
  /** JSON pointer. */
  readonly pointer: string;
  /** Absent where the place is new. */
  readonly before?: JsonValue;
  /** Absent where the place is gone. */
  readonly after?: JsonValue;
}

/**
 * The places at which a value differs from an earlier one, in the order of the earlier one, new members last. Members of
 * objects and items of lists are compared each by itself: `{"a":[1,2]}` and `{"a":[1,3]}` differ at `/a/1`. An item that
 * was put into the middle of a list changes each place behind it.
 */
export function changesBetween(before: JsonValue, after: JsonValue, pointer = ''): readonly ChangedPlace[] {
  if (isObject(before) && isObject(after)) {
    const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
    return names.flatMap((name) => changesAt(member(before, name), member(after, name), pointerTo(pointer, name)));
  }
  if (isList(before) && isList(after)) {
    const length = Math.max(before.length, after.length);
    return Array.from({ length }, (_, at) => changesAt(before[at], after[at], pointerTo(pointer, at))).flat();
  }
  return canonicalText(before) === canonicalText(after) ? [] : [{ pointer, before, after }];
}

function changesAt(
  before: JsonValue | undefined,
  after: JsonValue | undefined,
  pointer: string,
): readonly ChangedPlace[] {
  if (before !== undefined && after !== undefined) return changesBetween(before, after, pointer);
  return [{ pointer, ...(before !== undefined && { before }), ...(after !== undefined && { after }) }];
}
