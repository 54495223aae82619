import { refuse } from '../errors.ts';
import { isHash } from '../hash.ts';
import { type Outcome, pass } from '../outcome.ts';
import type { IndexedFile } from './build.ts';
import type { Expansion } from './expand.ts';
import { resolveSection, resolveSymbol, type Target } from './target.ts';
import type { StagedFile } from './write.ts';

/** Files that a message has written and not yet committed, by path. */
export type StagedFiles = ReadonlyMap<string, StagedFile>;

/** Target of a symbol or a section id in a file that the message has written; undefined if it is in no written file. */
export function locateStaged(files: StagedFiles, ref: string): Outcome<Target> | undefined {
  for (const { after, rows } of files.values()) {
    const row = rows.find(({ symbol_id }) => symbol_id === ref);
    if (row !== undefined) return resolveSymbol(row, after);
    if (after.sections.some(({ section_id }) => section_id === ref)) return resolveSection(ref, after);
  }
  return undefined;
}

/** The target as the message has left it: in a file that it wrote, a section that it replaced is gone. */
export function targetAfter(files: StagedFiles, target: Target): Outcome<Target> {
  const { symbol_or_section_id: ref, target_type, file_path, sections, default_slice_policy = '' } = target;
  const after = files.get(file_path)?.after;
  if (after === undefined) return pass(target);
  if (isHash(ref)) return resolveSection(ref, after);
  const target_ref = target_type === 'FILE' ? file_path : (sections[0]?.section_id ?? '');
  return resolveSymbol({ symbol_id: ref, target_type, target_ref, default_slice_policy }, after);
}

/**
 * The new id of each section that a WRITE has only moved. A section counts once against `max_sections`, wherever the
 * message has moved it.
 */
export function movedSections(before: IndexedFile, after: IndexedFile, written: Target): ReadonlyMap<string, string> {
  const shift = after.sections.length - before.sections.length;
  const moved = new Map<string, string>();
  for (const [index, { section_id, line_start, content_hash }] of before.sections.entries()) {
    if (line_start < written.line_end) continue;
    const now = after.sections[index + shift];
    if (now?.content_hash === content_hash) moved.set(section_id, now.section_id);
  }
  return moved;
}

/**
 * Refuses with `content_changed` a slice whose text was different earlier in the step: a receipt holds a single content
 * for each slice, unless a WRITE of the message itself stands between.
 */
export function sameAsBefore(
  { symbol_or_section_id: ref, slice, content_hash }: Expansion,
  before: readonly Expansion[],
  path: string,
): Outcome<void> {
  const other = before.find((each) => each.symbol_or_section_id === ref && each.slice === slice);
  if (other === undefined || other.content_hash === content_hash) return pass(undefined);
  return refuse('content_changed', { path, expected: other.content_hash });
}
