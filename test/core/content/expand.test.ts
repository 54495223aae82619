import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  BUDGETS,
  type Budgets,
  checkBudgets,
  NOTHING_SPENT,
  type Spending,
  spend,
} from '../../../core/content/budget.ts';
import { expand } from '../../../core/content/expand.ts';
import { resolveSection, resolveSymbol } from '../../../core/content/target.ts';
import { contentHash } from '../../../core/content/text.ts';
import { must } from '../validator.ts';
import { indexed } from './files.ts';

const TEXT = 'intro\n# A\na\n## B\nbé\n# C\nc\n';
const FILE = indexed('a.md', TEXT);
const run_id = '7d9f2c1a-4b7e-4f7a-9a3e-1c2d3e4f5a6b';

function target(type: 'FILE' | 'HEADING' | 'SECTION', index = 0) {
  const target_ref = type === 'FILE' ? 'a.md' : (FILE.sections[index]?.section_id ?? '');
  return must(
    resolveSymbol({ symbol_id: '@X/y', target_type: type, target_ref, default_slice_policy: 'head(1)' }, FILE),
  );
}

function expanding(slice: string, more: Partial<Parameters<typeof expand>[0]> = {}) {
  return expand({ run_id, target: target('FILE'), slice, text: TEXT, spent: NOTHING_SPENT, budgets: BUDGETS, ...more });
}

describe('an expansion', () => {
  test('an expansion is recorded with five members and leads to its bytes', () => {
    const { expansion, text, bytes } = must(expanding('lines[3:5]'));
    const content_hash = contentHash('## B\nbé\n');
    expect(expansion).toEqual({
      run_id,
      symbol_or_section_id: '@X/y',
      slice: 'lines[3:5]',
      content_hash,
      payload_ref: `sha256:${content_hash}`,
    });
    expect([text, bytes]).toEqual(['## B\nbé\n', 9]);
  });

  test('an expansion counts lines from its target, not from its file', () => {
    expect(must(expanding('head(1)', { target: target('HEADING', 1) })).text).toBe('# A\n');
    expect(must(expanding('tail(1)', { target: target('HEADING', 1) })).text).toBe('bé\n');
  });

  test('an expansion may name a section by its id', () => {
    const section = must(resolveSection(FILE.sections[3]?.section_id ?? '', FILE));
    expect(must(expanding('head(2)', { target: section })).text).toBe('# C\nc\n');
    expect(resolveSection('b'.repeat(64), FILE)).toMatchObject({ refusal: { code: 'section_unknown' } });
  });

  test.each([
    ['lines[0:1]', [0]],
    ['lines[0:2]', [0, 1]],
    ['lines[1:3]', [1]],
    ['lines[2:6]', [1, 2, 3]],
    ['chars[0:6]', [0]],
    ['chars[5:7]', [0, 1]],
    ['tail(1)', [3]],
  ])('an expansion of %s counts the sections it touches', (slice, leaves) => {
    const { spent } = must(expanding(slice));
    expect([...spent.sections]).toEqual(leaves.map((index) => FILE.sections[index]?.section_id));
  });

  test.each([
    ['a byte is another', TEXT.replace('bé', 'bè'), 'content_changed'],
    ['a line is gone', TEXT.replace('c\n', ''), 'section_range'],
    ['everything is gone', '', 'section_range'],
    ['there is more at the end', `${TEXT}more\n`, 'section_range'],
  ])('an expansion is refused when %s, even outside the slice', (_what, text, code) => {
    expect(expanding('head(1)', { text })).toMatchObject({ ok: false, refusal: { code, class: 'resolution' } });
  });

  test.each([
    ['max_symbols', 1, 'budget_symbols'],
    ['max_sections', 1, 'budget_sections'],
    ['max_bytes_expanded', 9, 'budget_bytes'],
    ['max_expands_per_step', 0, 'budget_expands'],
  ] as const)('an expansion over %s is refused, and an expansion at the limit is not', (name, limit, code) => {
    const spent: Spending = { ...NOTHING_SPENT, symbols: new Set(['@A/a', '@A/b']) };
    const budgets: Budgets = { ...BUDGETS, [name]: limit };
    const over = expanding('head(2)', { spent, budgets });
    expect(over).toMatchObject({
      refusal: { code, class: 'budget', step: 'charge', details: { limit, used: limit + 1 } },
    });
    expect(expanding('head(2)', { spent, budgets: { ...BUDGETS, [name]: limit + 1 } }).ok).toBe(true);
  });

  test('an expansion over several budgets is refused by the first in contract order and lists all breaches', () => {
    const none = { max_symbols: 0, max_sections: 0, max_bytes_expanded: 0, max_expands_per_step: 0 };
    const over = expanding('head(2)', { budgets: none });
    expect(over).toMatchObject({ refusal: { code: 'budget_sections', details: { limit: 0, used: 2 } } });
    const breaches = over.ok ? [] : (over.refusal.details['breaches'] as unknown as { code: string }[]);
    expect(breaches.map(({ code }) => code)).toEqual(['budget_sections', 'budget_bytes', 'budget_expands']);
  });

  test('a repeated expansion costs the same again', () => {
    const first = must(expanding('head(2)'));
    const again = must(expanding('head(2)', { spent: first.spent }));
    expect([again.spent.bytes, again.spent.expands, again.spent.sections.size]).toEqual([20, 2, 2]);
  });
});

describe('budgets', () => {
  const cost = fc.record({
    symbols: fc.array(fc.constantFrom('a', 'b', 'c')),
    sections: fc.array(fc.constantFrom('x', 'y', 'z')),
    bytes: fc.nat(50),
    expands: fc.nat(2),
  });

  test('budgets never let more pass than they allow, and a refused expansion is not charged', () => {
    const budgets = { max_symbols: 2, max_sections: 2, max_bytes_expanded: 100, max_expands_per_step: 3 };
    fc.assert(
      fc.property(fc.array(cost), (costs) => {
        let spent = NOTHING_SPENT;
        for (const each of costs) {
          const after = spend(spent, each, budgets);
          if (after.ok) spent = after.value;
        }
        expect(spent.symbols.size <= 2 && spent.sections.size <= 2 && spent.bytes <= 100 && spent.expands <= 3).toBe(
          true,
        );
      }),
    );
  });

  test('a message may lower the budgets of its run, never raise them', () => {
    expect(checkBudgets({ ...BUDGETS, max_sections: 0 }, BUDGETS).ok).toBe(true);
    expect(checkBudgets({ ...BUDGETS, max_sections: 6 }, BUDGETS)).toMatchObject({
      refusal: { code: 'budget_raised', class: 'budget', details: { name: 'max_sections', limit: 5, asked: 6 } },
    });
  });
});
