import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { resolveSymbol, type SymbolRow, type Target } from '../../../core/content/target.ts';
import { contentHash } from '../../../core/content/text.ts';
import { rebound, type StagedFile, stage } from '../../../core/content/write.ts';
import { caseCount } from '../../cases.ts';
import { must } from '../validator.ts';
import { indexed } from './files.ts';

const PATH = 'a.md';

/** Opens a file with a SECTION and a HEADING symbol for each section, and a FILE symbol. */
function opened(text: string): StagedFile {
  const file = indexed(PATH, text);
  const rows = file.sections.flatMap(({ section_id, heading_path }, index): SymbolRow[] => [
    row(`@s/${index}`, 'SECTION', section_id),
    row(`@alias/${index}`, 'SECTION', section_id),
    ...(heading_path.length > 0 ? [row(`@h/${index}`, 'HEADING', section_id)] : []),
  ]);
  const all = [...rows, row('@f/file', 'FILE', PATH)];
  return { before: file, after: file, was: all, rows: all };
}

function row(symbol_id: string, target_type: SymbolRow['target_type'], target_ref: string): SymbolRow {
  return { symbol_id, target_type, target_ref, default_slice_policy: 'head(1)' };
}

function targetOf({ after, rows }: StagedFile, symbol: string): Target | undefined {
  const found = rows.find(({ symbol_id }) => symbol_id === symbol) as SymbolRow;
  const target = resolveSymbol(found, after);
  return target.ok ? target.value : undefined;
}

function textOf(staged: StagedFile, { line_start, line_end }: Target): string {
  return linesOf(staged.after.text).slice(line_start, line_end).join('');
}

function linesOf(text: string): readonly string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

function written(staged: StagedFile, symbol: string, content: string) {
  const target = targetOf(staged, symbol) as Target;
  return stage(staged, target, content, contentHash(textOf(staged, target)));
}

function resolved(staged: StagedFile, symbol: string): string | undefined {
  const target = targetOf(staged, symbol);
  return target && textOf(staged, target);
}

describe('a write to a section', () => {
  const TEXT = '# Mine\naaaa\n# Salaries\nAnn 1\n';

  test('a write of an empty text leaves its symbol without a section, and moves the section behind it', () => {
    const after = must(written(opened(TEXT), '@s/0', ''));
    expect(after.after.text).toBe('# Salaries\nAnn 1\n');
    expect(['@s/0', '@alias/0', '@h/0', '@s/1', '@h/1'].map((symbol) => resolved(after, symbol))).toEqual([
      ...[undefined, undefined, undefined],
      ...['# Salaries\nAnn 1\n', '# Salaries\nAnn 1\n'],
    ]);
    expect(rebound(after).filter(({ to }) => to === undefined)).toHaveLength(3);
  });

  test('a write of an empty text leaves its symbol without a section even when a twin takes its place', () => {
    const after = must(written(opened('# A\nx\n# A\nx\n'), '@s/0', ''));
    expect(resolved(after, '@s/0')).toBeUndefined();
  });

  test('a write of several sections binds its symbol to the first of them', () => {
    const after = must(written(opened(TEXT), '@s/0', '# One\n1\n## Two\n2\n'));
    expect(['@s/0', '@alias/0', '@s/1'].map((symbol) => resolved(after, symbol))).toEqual([
      '# One\n1\n',
      undefined,
      '# Salaries\nAnn 1\n',
    ]);
  });

  test('a write that keeps the former text as a section keeps the other symbols on it', () => {
    const after = must(written(opened(TEXT), '@s/0', '# New\n# Mine\naaaa\n'));
    expect(['@s/0', '@alias/0', '@h/0'].map((symbol) => resolved(after, symbol))).toEqual([
      '# New\n',
      '# Mine\naaaa\n',
      '# Mine\naaaa\n',
    ]);
  });

  test('a write at the start of a file may delete its heading', () => {
    const after = must(written(opened(TEXT), '@s/0', 'no heading\n'));
    expect([resolved(after, '@s/0'), resolved(after, '@h/0')]).toEqual(['no heading\n', undefined]);
  });

  test.each([
    ['an open fence', TEXT, 0, '# Mine\n```\n', 'behind'],
    ['an open comment', TEXT, 0, '# Mine\n<!--\n', 'behind'],
    ['an open script', TEXT, 0, '# Mine\n<script>\n', 'behind'],
    ['an open HTML block', TEXT, 0, '# Mine\n<div>\n', 'behind'],
    ['a paragraph that a setext heading joins', '# A\n1\n\nTitle\n===\nx\n', 0, '# A\n1\n', 'behind'],
    ['a definition that the next line completes', '# A\n1\n\nTitle\n===\nx\n', 0, '# A\n[a]:\n', 'behind'],
    ['front matter that ends behind it', '# A\n1\n# B\n---\nx\n', 0, '---\n', 'behind'],
    ['no heading behind another section', TEXT, 1, 'joined\n', 'before'],
    ['a setext line behind a paragraph', '# A\ntext\n# B\n', 1, '===\n', 'before'],
    ['a heading that adopts the section behind it', '## A\n1\n## B\n2\n', 0, '# A\n1\n', 'behind'],
    ['nothing, so that the section behind it gets another parent', '# A\n# B\n## C\n', 1, '', 'behind'],
    ['nothing, so that a heading of the same name adopts', '# A\n# A\n## C\n', 1, '', 'behind'],
    ['another name of a heading with sections below it', '# A\n## B\n', 0, '# C\n', 'behind'],
    ['a deeper heading, below one that it was not below', '# A\n# B\n', 1, '## B\n', 'before'],
  ])('a write is refused with %s', (_what, text, index, content, neighbour) => {
    expect(written(opened(text), `@s/${index}`, content)).toMatchObject({
      ok: false,
      refusal: { code: 'content_neighbour', class: 'resolution', details: { path: PATH, neighbour } },
    });
  });

  test('a write through a heading that is no longer a section of the file is refused', () => {
    const staged = opened(TEXT);
    const target = targetOf(staged, '@s/1') as Target;
    const file = { ...staged.after, sections: staged.after.sections.slice(0, 1) };
    expect(stage({ ...staged, after: file }, target, '# New\n', contentHash('# Salaries\nAnn 1\n'))).toMatchObject({
      refusal: { code: 'target_gone' },
    });
  });

  test('a write against another hash is refused with the named hash and without the present hash', () => {
    const staged = opened(TEXT);
    const expected = '0'.repeat(64);
    const refused = stage(staged, targetOf(staged, '@s/0') as Target, '', expected);
    expect(refused).toMatchObject({ refusal: { code: 'content_changed', details: { path: PATH, expected } } });
    expect(JSON.stringify(refused)).not.toContain(contentHash('# Mine\naaaa\n'));
  });
});

/** Lines that open, close or join blocks. */
const LINE = fc.constantFrom(
  ...['# A', '# B', '## A', '## B', '### C', 'text', 'text', '', '', '```', '~~~', '<!--', '-->', '<script>', '<div>'],
  ...['---', '===', '...', '> quote', '- item', '  - item', '    code', '[a]: b', '\ufeff# A', '[a]:', '"title"'],
);
const LINES = fc.array(LINE, { maxLength: 12 });
const MARKDOWN = fc
  .tuple(LINES, fc.boolean())
  .map(([lines, ended]) => lines.join('\n') + (ended && lines.length > 0 ? '\n' : ''));
const WRITES = fc.array(fc.tuple(fc.nat(), MARKDOWN), { minLength: 1, maxLength: 4 });

/** For each line of the new file: the index of its old section, or `written`. */
function origins({ after }: StagedFile, target: Target, content: string): readonly (number | 'written')[] {
  const of = after.sections.flatMap(({ line_start, line_end }, index) =>
    Array.from({ length: line_end - line_start }, () => index),
  );
  const lines = linesOf(content).map(() => 'written' as const);
  return [...of.slice(0, target.line_start), ...lines, ...of.slice(target.line_end)];
}

describe('a write of arbitrary text to an arbitrary section', () => {
  test('each symbol stands for its own text, for the text written through it, or for no section', () => {
    let [committed, refused] = [0, 0];
    const law = (text: string, writes: readonly (readonly [number, string])[]): void => {
      let staged = opened(text);
      for (const [nth, content] of writes) {
        const symbols = staged.rows.map(({ symbol_id }) => symbol_id);
        const sections = symbols.filter((symbol) => symbol.startsWith('@s/') && targetOf(staged, symbol));
        const symbol = sections[nth % Math.max(sections.length, 1)];
        if (symbol === undefined) return;
        const target = targetOf(staged, symbol) as Target;
        const done = written(staged, symbol, content);
        if (!done.ok) {
          expect(['content_neighbour', 'content_unended']).toContain(done.refusal.code);
          refused++;
          continue;
        }
        committed++;
        const from = origins(staged, target, content);
        for (const each of symbols) held(staged, done.value, each, { symbol, target, from });
        staged = done.value;
      }
    };
    fc.assert(fc.property(MARKDOWN, WRITES, law), { numRuns: caseCount(3_000) });
    expect([committed > 500, refused > 500]).toEqual([true, true]);
  });
});

interface Write {
  readonly symbol: string;
  readonly target: Target;
  readonly from: readonly (number | 'written')[];
}

function held(before: StagedFile, after: StagedFile, symbol: string, { symbol: through, target, from }: Write): void {
  const [was, is] = [targetOf(before, symbol), targetOf(after, symbol)];
  if (is === undefined || symbol === '@f/file') return;
  if (was === undefined) throw new Error(`${symbol} stood for nothing, and stands for a section`);
  const came = new Set(from.slice(is.line_start, is.line_end));
  if (symbol === through) return expect([...came]).toEqual(['written']);
  const isWritten = was.sections[0]?.section_id === target.sections[0]?.section_id;
  const [first, firstBefore] = [is.sections[0], was.sections[0]];
  expect(first?.content_hash).toBe(firstBefore?.content_hash);
  const covers = before.after.sections.map(({ section_id }) =>
    was.sections.some((own) => own.section_id === section_id),
  );
  const holds = was.sections.some(({ section_id }) => section_id === target.sections[0]?.section_id);
  for (const each of came) expect(each === 'written' ? holds : covers[each]).toBe(true);
  if (!isWritten) expect(from[is.line_start]).toBe(covers.indexOf(true));
  return undefined;
}

describe('a write of arbitrary text to a whole file', () => {
  test('the symbol of a section keeps its text and headings after a write to the whole file, or loses its section', () => {
    const law = (text: string, content: string): void => {
      const before = opened(text);
      const after = must(written(before, '@f/file', content));
      for (const { symbol_id } of before.rows) {
        const [was, is] = [targetOf(before, symbol_id)?.sections[0], targetOf(after, symbol_id)?.sections[0]];
        if (is === undefined || symbol_id === '@f/file') continue;
        expect([is.content_hash, is.heading_path]).toEqual([was?.content_hash, was?.heading_path]);
      }
    };
    fc.assert(fc.property(MARKDOWN, MARKDOWN, law), { numRuns: caseCount(1_000) });
  });
});
