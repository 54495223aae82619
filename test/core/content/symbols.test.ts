import { describe, expect, test } from 'vitest';
import {
  defineSymbol,
  exportSymbols,
  importSymbols,
  listSymbols,
  lookUp,
  readSymbol,
  toolOf,
  toolSymbol,
} from '../../../core/content/symbols.ts';
import type { SymbolRow } from '../../../core/content/target.ts';
import { encodeText } from '../../../core/json/utf8.ts';
import type { JsonValue } from '../../../core/json/value.ts';
import { must } from '../validator.ts';
import { corpusOf, indexed } from './files.ts';

const FILE = indexed('CANON/a.md', 'intro\n# A\na\n## B\nb\n## B\nb2\n# C\nc\n');
const CORPUS = corpusOf(FILE, indexed('db/x.sql', 'select 1;\n'));
const [INTRO, A, B, , C] = FILE.sections.map((section) => section.section_id);

function row(target_type: string, target_ref: string | undefined, symbol_id = '@CANON/a'): SymbolRow {
  return { symbol_id, target_type, target_ref, default_slice_policy: 'head(1)' } as SymbolRow;
}

describe('a symbol', () => {
  test('a symbol stands for a section, a heading with all sections below it, or a file', () => {
    const lines = (type: string, ref: string | undefined) => {
      const symbols = new Map([['@CANON/a', must(defineSymbol(new Map(), row(type, ref), CORPUS))]]);
      const { line_start, line_end, sections } = must(lookUp(symbols, '@CANON/a', CORPUS));
      return [line_start, line_end, sections.length];
    };
    expect(lines('SECTION', A)).toEqual([1, 3, 1]);
    expect(lines('HEADING', A)).toEqual([1, 7, 3]);
    expect(lines('HEADING', B)).toEqual([3, 5, 1]);
    expect(lines('HEADING', C)).toEqual([7, 9, 1]);
    expect(lines('FILE', 'CANON/a.md')).toEqual([0, 9, 5]);
    expect(lines('SECTION', INTRO)).toEqual([0, 1, 1]);
  });

  test('a symbol may be defined by the names of headings, and is kept by the id', () => {
    expect(must(defineSymbol(new Map(), row('HEADING', 'CANON/a.md#["A"]'), CORPUS)).target_ref).toBe(A);
  });

  test.each([
    ['an id that nothing has', row('SECTION', 'a'.repeat(64)), 'target_unknown'],
    ['a path that is not indexed', row('FILE', 'CANON/b.md'), 'target_unknown'],
    ['a path where an id belongs', row('SECTION', 'CANON/a.md'), 'target_unknown'],
    ['an id where a path belongs', row('FILE', A), 'target_unknown'],
    ['names that no heading has', row('HEADING', 'CANON/a.md#["Z"]'), 'target_unknown'],
    ['names that are no JSON', row('HEADING', 'CANON/a.md#[A]'), 'target_unknown'],
    ['names that two headings have', row('HEADING', 'CANON/a.md#["A","B"]'), 'symbol_ambiguous'],
    ['a heading where there is none', row('HEADING', INTRO), 'target_kind'],
    ['a name that is a capability', row('FILE', 'CANON/a.md', '@TOOLS/math.add'), 'symbol_twice'],
    ['a name that is taken', row('FILE', 'CANON/a.md', '@CANON/taken'), 'symbol_twice'],
  ])('a symbol is refused with %s', (_what, wanted, code) => {
    const taken = new Map([['@CANON/taken', row('FILE', 'CANON/a.md', '@CANON/taken')]]);
    const isTool = (name: string) => name === 'math.add';
    expect(defineSymbol(taken, wanted, CORPUS, isTool)).toMatchObject({ refusal: { code, class: 'resolution' } });
  });

  test.each([
    ['nothing', null, 'wrong_type'],
    ['a member more', { ...row('FILE', 'a'), x: 1 }, 'unknown_member'],
    ['a member less', { symbol_id: '@A/b', target_type: 'FILE', target_ref: 'a' }, 'missing_member'],
    ['a member of another type', { ...row('FILE', 'a'), target_ref: 1 }, 'wrong_type'],
    ['a type in small letters', row('section', A), 'wrong_type'],
    ['a type that is none', row('URL', 'x'), 'wrong_type'],
    ['ALL by default', { ...row('FILE', 'a'), default_slice_policy: 'ALL' }, 'slice_unbounded'],
    ['a malformed slice', { ...row('FILE', 'a'), default_slice_policy: 'lines' }, 'slice_syntax'],
    ...[
      'X',
      '@',
      '@A',
      '@/B',
      '@A/',
      '@A B/c',
      '@A/\n',
      '@A/..',
      '@A/../B',
      '@A/.',
      '@Ä/b',
      `@A/${'x'.repeat(65)}`,
    ].map((symbol) => [`the name ${JSON.stringify(symbol)}`, row('FILE', 'a', symbol), 'symbol_syntax'] as const),
  ] as const)('a symbol is not read from %s', (_what, value, code) => {
    expect(readSymbol(value as unknown as JsonValue)).toMatchObject({ refusal: { code } });
  });

  test('a symbol may have any namespace', () => {
    expect(readSymbol(row('FILE', 'a', '@notes/2024/a.b-c_d') as unknown as JsonValue).ok).toBe(true);
  });

  test('a symbol is unknown until it is defined, and gone with its target', () => {
    const symbols = new Map([['@CANON/a', row('SECTION', A)]]);
    expect(lookUp(symbols, '@CANON/b', CORPUS)).toMatchObject({ refusal: { code: 'symbol_unknown' } });
    expect(lookUp(symbols, '@CANON/a', corpusOf())).toMatchObject({ refusal: { code: 'target_gone' } });
    const edited = corpusOf(indexed('CANON/a.md', '# A\nother\n'));
    expect(lookUp(symbols, '@CANON/a', edited)).toMatchObject({ refusal: { code: 'target_gone' } });
    expect(lookUp(new Map([['@x/y', row('FILE', 'CANON/a.md', '@x/y')]]), '@x/y', edited).ok).toBe(true);
  });

  test('the symbol of a capability is its name under @TOOLS', () => {
    expect([toolSymbol('a.b'), toolOf('@TOOLS/a.b'), toolOf('@TOOLS/a/b'), toolOf('@CANON/a')]).toEqual([
      '@TOOLS/a.b',
      'a.b',
      undefined,
      undefined,
    ]);
  });
});

describe('a registry', () => {
  const rows = [row('FILE', 'CANON/a.md', '@b/x'), row('SECTION', A, '@a/y'), row('HEADING', A, '@a/Y')];
  const symbols = new Map(rows.map((each) => [each.symbol_id, each]));

  test('a registry of symbols is listed in order and comes back from its export', () => {
    expect(listSymbols(symbols).map((each) => each.symbol_id)).toEqual(['@a/Y', '@a/y', '@b/x']);
    const text = exportSymbols(symbols);
    const back = must(importSymbols(new Map(), encodeText(text), CORPUS));
    expect(exportSymbols(back)).toBe(text);
  });

  test('an import of symbols is taken whole or not at all, and the refusal points at the faulty row', () => {
    const with2 = (value: unknown) => encodeText(JSON.stringify([row('FILE', 'CANON/a.md', '@n/ew'), value]));
    const refusal = (value: unknown) => importSymbols(symbols, with2(value), CORPUS);
    expect(refusal({})).toMatchObject({ refusal: { code: 'missing_member', pointer: '/1' } });
    expect(refusal(row('FILE', 'x', '@n/o'))).toMatchObject({ refusal: { code: 'target_unknown', pointer: '/1' } });
    expect(refusal(rows[0])).toMatchObject({ refusal: { code: 'symbol_twice' } });
    expect(importSymbols(symbols, encodeText('{}'), CORPUS)).toMatchObject({ refusal: { code: 'wrong_type' } });
    expect(importSymbols(symbols, encodeText('['), CORPUS)).toMatchObject({ refusal: { code: 'json_syntax' } });
    expect([...symbols.keys()]).not.toContain('@n/ew');
  });
});
