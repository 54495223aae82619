import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { encodeText } from '../../../core/json/utf8.ts';
import type { HeldReceipt } from '../../../core/ledger/held.ts';
import { handlesNamed, heldParts } from '../../../core/ledger/held-parts.ts';

const ref = { sha256: 'a'.repeat(64), bytes: 1 } as unknown as HeldReceipt['outcome'];
const ROW: HeldReceipt = {
  handle: 'h1',
  step: 1,
  status: 'success',
  labels: ['untrusted'],
  sources: ['mail.search'],
  steps: [],
  outcome: ref,
};
const valued = (value: unknown) => (text: string) => heldParts(text, [ROW], () => encodeText(JSON.stringify(value)));

describe('the words of a model', () => {
  test.each([
    ['{{h1}}', ''],
    ['{{h1/0}}', '/0'],
    ['{{h1/a b/ü}}', '/a b/ü'],
    ['{{h1/~0~1}}', '/~0~1'],
  ])('name a value by %s', (text, at) => {
    expect(valued([])(text)).toMatchObject([{ kind: 'held', text, handle: 'h1', at }]);
  });

  test.each(['{{h0}}', '{{h01}}', '{{ h1}}', '{{h1/~2}}', '{h1}', '{{h1', '{{h1/a\nb}}', '{{H1}}', '{{h1/{a}}}'])(
    'are text: %s',
    (text) => {
      expect(valued([])(text)).toEqual([{ kind: 'text', text }]);
    },
  );

  test('a value is data: the handles that it names are text', () => {
    expect(valued('{{h1}} {{h2}}')('{{h1}}')).toEqual([
      {
        kind: 'held',
        text: '{{h1}}',
        handle: 'h1',
        at: '',
        value: '{{h1}} {{h2}}',
        labels: ['untrusted'],
        sources: ['mail.search'],
      },
    ]);
  });

  test('a member of a prototype is beyond a value', () => {
    expect(valued({ a: [] })('{{h1/constructor}}{{h1/a/length}}')).toMatchObject([
      { missing: 'beyond' },
      { missing: 'beyond' },
    ]);
  });

  test('the parts of any words are the words as they are written', () => {
    const piece = fc.oneof(fc.string(), fc.constantFrom('{{', '}}', 'h1', '/', '{{h1/0}}', '{{h22}}', '}'));
    fc.assert(
      fc.property(fc.array(piece), (pieces) => {
        const text = pieces.join('');
        expect(
          valued([1])(text)
            .map((part) => part.text)
            .join(''),
        ).toBe(text);
      }),
    );
  });

  test('names of values are found in time that grows with the text alone', () => {
    const text = `{{h1/${'}/'.repeat(100_000)}`;
    expect(handlesNamed(text)).toEqual([]);
    expect(handlesNamed('{{h1/'.repeat(100_000))).toEqual([]);
    expect(handlesNamed('{{h1}}'.repeat(10_000))).toEqual(['h1']);
  });
});
