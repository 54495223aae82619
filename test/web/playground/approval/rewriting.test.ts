import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { lineChanges } from '../../../../web/playground/approval/rewriting.ts';

describe('the lines of a change', () => {
  const join = (lines: ReturnType<typeof lineChanges>, kind: 'gone' | 'new'): string =>
    lines.flatMap((line) => (line.kind === 'same' || line.kind === kind ? [line.text] : [])).join('');
  const texts = fc
    .array(fc.constantFrom('a\n', 'b\n', 'c\n', '\n', 'end'), { maxLength: 12 })
    .map((all) => all.join(''));

  it('the lines of a change keep all text: same and gone lines are the old text, same and new lines the new text', () => {
    fc.assert(
      fc.property(texts, texts, (before, after) => {
        const lines = lineChanges(before, after);
        expect([join(lines, 'gone'), join(lines, 'new')]).toEqual([before, after]);
      }),
    );
  });

  it('the lines of a change tell a line that only lost its end', () => {
    expect(lineChanges('a\nb\n', 'a\nb')).toEqual([
      { kind: 'same', text: 'a\n' },
      { kind: 'gone', text: 'b\n' },
      { kind: 'new', text: 'b' },
    ]);
  });

  it('the lines of a change keep an equal line between two changes', () => {
    expect(lineChanges('1\nx\n2\n', '3\nx\n4\n').filter(({ kind }) => kind === 'same')).toHaveLength(1);
  });
});
