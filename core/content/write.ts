import { refuse } from '../errors.ts';
import { canonicalText } from '../json/canonical.ts';
import { type Outcome, pass } from '../outcome.ts';
import { type IndexedFile, indexText } from './build.ts';
import type { Section } from './section.ts';
import { type SymbolRow, type Target, targetText } from './target.ts';
import { contentHash, lineEnd, withLineFeeds } from './text.ts';

/** What a message has written to a file and not yet committed. */
export interface StagedFile {
  /** As it was before the first operation. */
  readonly before: IndexedFile;
  readonly after: IndexedFile;
  /** The symbols that stand for this file or its sections, as they were bound before, and as they are after it. */
  readonly was: readonly SymbolRow[];
  readonly rows: readonly SymbolRow[];
}

/**
 * Replaces what the target covers, if its text is still the one that was read: compare and set, on hashes. Refuses with
 * `content_changed`, with `content_unended` a text that would run into the section behind it, with `content_neighbour`
 * a text that would change another section, and with `target_gone` a target that is no section of the file any more.
 *
 * @see Catalytic Chat Contract, Symbol: an unresolvable target fails
 */
export function stage(staged: StagedFile, target: Target, content: string, expected: string): Outcome<StagedFile> {
  const { after: before } = staged;
  const path = before.file_path;
  const current = targetText(target, before.text);
  if (!current.ok && current.refusal.code !== 'content_changed') return current;
  if (!current.ok || contentHash(current.value.text) !== expected) return refuse('content_changed', { path, expected });
  const start = offsetOfLine(before.text, target.line_start);
  const rest = before.text.slice(start + current.value.text.length);
  const written = withLineFeeds(content);
  if (rest !== '' && written !== '' && !written.endsWith('\n')) return refuse('content_unended', { path });
  const after = indexText(path, before.text.slice(0, start) + written + rest);
  if (!after.ok) return after;
  const rows = rebind(staged.rows, { before, after: after.value }, target);
  return rows.ok ? pass({ ...staged, after: after.value, rows: rows.value }) : rows;
}

function rebind(rows: readonly SymbolRow[], change: Change, target: Target): Outcome<readonly SymbolRow[]> {
  if (target.target_type === 'FILE') return pass(rebindFile(rows, change));
  const index = change.before.sections.findIndex(({ section_id }) => section_id === target.sections[0]?.section_id);
  if (index < 0) return refuse('target_gone', { symbol: target.symbol_or_section_id });
  const replaced = checkNeighbours(change.before, change.after, index);
  return replaced.ok ? pass(rebindSection(rows, change, replaced.value, target)) : replaced;
}

/** The symbols of a file that its change has bound to another section, or to none. */
export function rebound({ was, rows }: StagedFile): Rebound[] {
  return was.flatMap(({ symbol_id, target_ref: from }, index) => {
    const to = rows[index]?.target_ref ?? from;
    if (to === from) return [];
    return [{ symbol_id, from, ...(isGone(to) ? {} : { to }) }];
  });
}

interface Rebound {
  readonly symbol_id: string;
  readonly from: string;
  /** Absent: it stands for nothing any more. */
  readonly to?: string;
}

function offsetOfLine(text: string, line: number): number {
  let at = 0;
  for (let left = line; left > 0; left--) at = lineEnd(text, at);
  return at;
}

/** A change of a file: its leaves before and after. */
interface Change {
  readonly before: IndexedFile;
  readonly after: IndexedFile;
}

/**
 * Symbols after a section was written. The written symbol stands for the first leaf of the new text. A symbol of
 * another leaf follows that leaf, unless a second leaf of the file has the same headings and text. Another symbol of
 * the written section stands for its former text if the new text has that text as a leaf under the same headings.
 * Without that leaf it loses its section, as the written symbol does with an empty text.
 */
function rebindSection(
  rows: readonly SymbolRow[],
  { before, after }: Change,
  { index, start, end }: Replacement,
  written: Target,
): readonly SymbolRow[] {
  const places = new Map(before.sections.map((section, at) => [section.section_id, at]));
  const fresh = after.sections.slice(start, end);
  const [was, is, made] = [before.sections, after.sections, fresh].map(byContent) as [Groups, Groups, Groups];
  const alone = (section: Section, groups: Groups): Section | undefined => {
    const alike = groups.get(contentKey(section)) ?? [];
    return alike.length === 1 ? alike[0] : undefined;
  };
  return rows.map((row) => {
    const at = row.target_type === 'FILE' ? undefined : places.get(row.target_ref);
    const old = at === undefined ? undefined : before.sections[at];
    if (at === undefined || old === undefined || at < index) return row;
    if (at === index) return bound(row, row.symbol_id === written.symbol_or_section_id ? fresh[0] : alone(old, made));
    const now = after.sections[at - index - 1 + end];
    return bound(row, now?.section_id === row.target_ref || (alone(old, was) && alone(old, is)) ? now : undefined);
  });
}

/**
 * Symbols after a whole file was written. A symbol follows its section where exactly one leaf before and one leaf after
 * have the same headings and text, or where a leaf with them stands at the same lines. Every other symbol loses its
 * section.
 */
function rebindFile(rows: readonly SymbolRow[], { before, after }: Change): readonly SymbolRow[] {
  const [was, is] = [byContent(before.sections), byContent(after.sections)];
  const places = new Map(before.sections.map((section) => [section.section_id, section]));
  return rows.map((row) => {
    const old = row.target_type === 'FILE' ? undefined : places.get(row.target_ref);
    if (old === undefined) return row;
    const alike = is.get(contentKey(old)) ?? [];
    const isOne = alike.length === 1 && was.get(contentKey(old))?.length === 1;
    return bound(row, isOne ? alike[0] : alike.find((section) => section.section_id === old.section_id));
  });
}

/** The target of a symbol whose section is gone. It is no section's id, so no other section can take its place. */
export function goneRef(section_id: string): string {
  return `${GONE}${section_id}`;
}

function isGone(target_ref: string): boolean {
  return target_ref.startsWith(GONE);
}

const GONE = 'gone:';

function bound(row: SymbolRow, section: Section | undefined): SymbolRow {
  return { ...row, target_ref: section?.section_id ?? goneRef(row.target_ref) };
}

function contentKey({ heading_path, content_hash }: Section): string {
  return content_hash + canonicalText(heading_path);
}

type Groups = ReadonlyMap<string, readonly Section[]>;

function byContent(sections: readonly Section[]): Groups {
  const found = new Map<string, Section[]>();
  for (const section of sections) {
    const alike = found.get(contentKey(section));
    if (alike === undefined) found.set(contentKey(section), [section]);
    else alike.push(section);
  }
  return found;
}

/** The leaves of a file around a written leaf: their indexes before the write, and after it. */
interface Replacement {
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
function checkNeighbours(before: IndexedFile, after: IndexedFile, index: number): Outcome<Replacement> {
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
