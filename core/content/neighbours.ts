import { refuse } from '../errors.ts';
import { canonicalText } from '../json/canonical.ts';
import { type Outcome, pass } from '../outcome.ts';
import type { IndexedFile } from './build.ts';
import type { Section } from './section.ts';

/** The leaves of a file around a written leaf: their indexes before the write, and after it. */
export interface Replacement {
  /** Index of the written leaf before the write. */
  readonly index: number;
  /**
   * Leaves that the new text consists of, from this index up to `end`, after the write. Empty range for an empty text.
   */
  readonly start: number;
  readonly end: number;
}

/**
 * Checks that a new text changes only the leaf that it replaces. Every other leaf keeps its heading path, its text and
 * its parent, and only its lines may move. A leaf below the written one needs a heading of the new text above it, and
 * no heading before the written one gains a section. Refuses with `content_neighbour`.
 */
export function checkNeighbours(before: IndexedFile, after: IndexedFile, index: number): Outcome<Replacement> {
  const [was, is] = [before.sections, after.sections];
  const behind = was.length - index - 1;
  const end = after.text === '' ? 0 : is.length - behind;
  const wrong = (neighbour: 'before' | 'behind') =>
    refuse('content_neighbour', { path: before.file_path, neighbour }, { step: 'execute' });
  if (!was.slice(0, index).every((leaf, nth) => isSame(leaf, is[nth], 0))) return wrong('before');
  if (end < index) return wrong(behind > 0 ? 'behind' : 'before');
  const delta = (is.at(-1)?.line_end ?? 0) - (was.at(-1)?.line_end ?? 0);
  if (!was.slice(index + 1).every((leaf, nth) => isSame(leaf, is[end + nth], delta))) return wrong('behind');
  const [wasBelow, isBelow] = [parents(was), parents(is)];
  const isAdopted = isBelow.slice(index, end).some((parent) => parent < index && !isAbove(wasBelow, index, parent));
  if (isAdopted) return wrong('before');
  const keepsParent = (parent: number, nth: number): boolean => {
    const now = isBelow[end + nth] ?? NONE;
    if (parent === index) return now >= index && now < end;
    return now === (parent > index ? parent - index - 1 + end : parent);
  };
  return wasBelow.slice(index + 1).every(keepsParent) ? pass({ index, start: index, end }) : wrong('behind');
}

const NONE = -1;

function isSame(was: Section, is: Section | undefined, delta: number): boolean {
  return (
    is !== undefined &&
    is.content_hash === was.content_hash &&
    is.line_start === was.line_start + delta &&
    canonicalText(is.heading_path) === canonicalText(was.heading_path)
  );
}

/** For each leaf the index of the leaf whose heading it stands below, or -1. */
function parents(sections: readonly Section[]): readonly number[] {
  const open: number[] = [];
  return sections.map(({ heading_path }, index) => {
    const depth = heading_path.length;
    open.length = Math.min(open.length, Math.max(depth - 1, 0));
    const parent = open.at(-1) ?? NONE;
    if (depth > 0) open.push(index);
    return parent;
  });
}

/** True when this index is an ancestor of the leaf, or stands for the root. */
function isAbove(below: readonly number[], leaf: number, ancestor: number): boolean {
  let at = below[leaf] ?? NONE;
  while (at !== NONE && at !== ancestor) at = below[at] ?? NONE;
  return at === ancestor;
}
