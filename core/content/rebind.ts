import { canonicalText } from '../json/canonical.ts';
import type { IndexedFile } from './build.ts';
import type { Replacement } from './neighbours.ts';
import type { Section } from './section.ts';
import type { SymbolRow } from './symbol.ts';
import type { Target } from './target.ts';

/** A change of a file: its leaves before and after. */
export interface Change {
  readonly before: IndexedFile;
  readonly after: IndexedFile;
}

/**
 * Symbols after a section was written. The written symbol stands for the first leaf of the new text. A symbol of
 * another leaf follows that leaf, unless a second leaf of the file has the same headings and text. Another symbol of
 * the written section stands for its former text if the new text has that text as a leaf under the same headings.
 * Without that leaf it loses its section, as the written symbol does with an empty text.
 */
export function rebindSection(
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
export function rebindFile(rows: readonly SymbolRow[], { before, after }: Change): readonly SymbolRow[] {
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

export function isGone(target_ref: string): boolean {
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
