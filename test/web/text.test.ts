import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { countUnseen, visible, visibleText } from '../../core/index.ts';
import { indent, lex } from '../../web/state/lexer.ts';

describe('visible text', () => {
  it.each([
    ['a right-to-left override', 'pay\u202Eevil', '\\u202e'],
    ['a zero width space', 'a\u200Bb', '\\u200b'],
    ['a tag character', 'a\u{E0041}', '\\u{e0041}'],
    ['a control character', 'a\u0007', '\\u0007'],
    ['a carriage return', 'a\rb', '\\u000d'],
    ['a no-break space', 'a\u00A0b', '\\u00a0'],
    ['half of a surrogate pair', 'a\uD800', '\\ud800'],
    ['a Hangul filler', 'a\u3164', '\\u3164'],
    ['a variation selector', 'a\uFE0F', '\\ufe0f'],
    ['a private use character', 'a\uE000', '\\ue000'],
  ])('writes out %s', (_name, text, escape) => {
    expect(visibleText(text)).toContain(escape);
    expect(countUnseen(text)).toBe(1);
  });

  it.each(['plain words', 'Zürich, 価格, цена', 'one\ntwo', '£606.60 °C'])('leaves %j alone', (text) => {
    expect(visible(text).map((piece) => ('text' in piece ? piece.text : ''))).toEqual([text]);
  });

  it('loses nothing: the plain pieces and the escapes account for every character', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const plain = visible(text).reduce((n, piece) => n + ('text' in piece ? [...piece.text].length : 1), 0);
        return plain === [...text].length;
      }),
    );
  });
});

describe('the lexer for showing', () => {
  const joined = (text: string): string =>
    lex(text)
      .map((token) => token.text)
      .join('');

  it('keeps every character of any text', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => joined(text) === text));
    fc.assert(fc.property(fc.json(), (text) => joined(text) === text));
  });

  it('changes only blanks when it indents', () => {
    const solid = (text: string): string => text.replaceAll(/\s/gu, '');
    fc.assert(
      fc.property(
        fc.json(),
        (text) =>
          solid(
            indent(lex(text))
              .map((token) => token.text)
              .join(''),
          ) === solid(text),
      ),
    );
  });

  it('indents JSON into JSON of the same value', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        expect(
          JSON.parse(
            indent(lex(text))
              .map((token) => token.text)
              .join(''),
          ),
        ).toEqual(JSON.parse(text));
      }),
    );
  });

  it('knows the pointer of each value, through arrays and escaped names', () => {
    const tokens = lex('{"a":[1,{"b/c":2}],"a":3}');
    const pointers = tokens.filter((token) => token.kind === 'number').map((token) => [token.pointer, token.text]);
    expect(pointers).toEqual([
      ['/a/0', '1'],
      ['/a/1/b~1c', '2'],
      ['/a', '3'],
    ]);
  });

  it('keeps both of two members with one name', () => {
    expect(indent(lex('{"a":1,"a":2}')).filter((token) => token.kind === 'name')).toHaveLength(2);
  });
});
