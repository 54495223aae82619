import { CANONICAL_LIMITS } from '../limits.ts';
import { canonicalText, isPlain } from './canonical.ts';

/**
 * `canonicalText` of a value whose members mostly stand in canonical order, as the drafts of a step are made. The
 * engine's own writer keeps the order of members, and else writes as RFC 8785 does; it takes half the time of our walk.
 * Every other value takes the walk, and so does a long text, which may be beyond our limits.
 */
export function sortedText(value: unknown): string {
  if (!isSorted(value, CANONICAL_LIMITS.depth)) return canonicalText(value);
  const text = JSON.stringify(value);
  // the engine escapes half a surrogate pair, which has no canonical text
  return text.length <= CANONICAL_LIMITS.nodes && !text.includes('\\ud') ? text : canonicalText(value);
}

/** True for JSON of at most so many levels with sorted members. */
function isSorted(value: unknown, depth: number): boolean {
  if (typeof value === 'number') return Number.isFinite(value);
  if (typeof value !== 'object') return typeof value === 'string' || typeof value === 'boolean';
  if (value === null) return true;
  if (depth === 0) return false;
  return Array.isArray(value) ? isListSorted(value, depth - 1) : isPlain(value) && areMembersSorted(value, depth - 1);
}

function areMembersSorted(value: object, depth: number): boolean {
  let before = '';
  for (const name of Object.keys(value)) {
    if (name < before || !isSorted(value[name as keyof typeof value], depth)) return false;
    before = name;
  }
  return true;
}

/** By index: the engine's own loops pass over a hole, which is no JSON. */
function isListSorted(list: readonly unknown[], depth: number): boolean {
  for (let at = 0; at < list.length; at++) if (!isSorted(list[at], depth)) return false;
  return true;
}
