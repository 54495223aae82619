import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { lineChanges } from '../../web/state/line-changes.ts';
import { contentsOf } from '../../web/state/rewriting.ts';

const ASKED = { target: '@A', path: 'a.md', expected_hash: 'h', bytes: 2 };

function message(...ops: readonly object[]): string {
  return JSON.stringify({ intent: 'i', refs: ['@A'], ops });
}

const write = (content: string, expected_hash = 'h', target = '@A') => ({
  type: 'WRITE',
  target,
  params: { content, expected_hash },
});

describe('what a WRITE would change', () => {
  it('is found in the proposal by target, hash and length', () => {
    const others = [write('a\n', 'other'), write('a\n', 'h', '@B'), write('abc\n'), { type: 'READ', target: '@A' }];
    expect(contentsOf(message(...others, write('b\n')), ASKED)).toEqual(['b\n']);
  });

  it('is every operation that the question may mean, so that none hides behind another', () => {
    expect(contentsOf(message(write('a\n'), write('b\n')), ASKED)).toEqual(['a\n', 'b\n']);
  });

  it('is shown as it is written: with line feeds', () => {
    expect(contentsOf(message(write('a\r\n')), ASKED)).toEqual(['a\n']);
  });

  it.each([undefined, '[]', '{"ops":7}', '{"ops":[null,{"type":"WRITE","target":"@A"}]}'])(
    'is nothing in %j',
    (text) => {
      expect(contentsOf(text, ASKED)).toEqual([]);
    },
  );
});

describe('the lines of a change', () => {
  const join = (lines: ReturnType<typeof lineChanges>, kind: 'gone' | 'new'): string =>
    lines.flatMap((line) => (line.kind === 'same' || line.kind === kind ? [line.text] : [])).join('');
  const texts = fc
    .array(fc.constantFrom('a\n', 'b\n', 'c\n', '\n', 'end'), { maxLength: 12 })
    .map((all) => all.join(''));

  it('lose nothing: what stays and goes is the old text, what stays and comes the new', () => {
    fc.assert(
      fc.property(texts, texts, (before, after) => {
        const lines = lineChanges(before, after);
        expect([join(lines, 'gone'), join(lines, 'new')]).toEqual([before, after]);
      }),
    );
  });

  it('tell a line that only lost its end', () => {
    expect(lineChanges('a\nb\n', 'a\nb')).toEqual([
      { kind: 'same', text: 'a\n' },
      { kind: 'gone', text: 'b\n' },
      { kind: 'new', text: 'b' },
    ]);
  });

  it('keep what both have between two changes', () => {
    expect(lineChanges('1\nx\n2\n', '3\nx\n4\n').filter(({ kind }) => kind === 'same')).toHaveLength(1);
  });
});
