import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { indent, lex } from '../../../../web/playground/parts/json-lexer.ts';

describe('the JSON lexer of the playground', () => {
  const joined = (text: string): string =>
    lex(text)
      .map((token) => token.text)
      .join('');

  it('the lexer keeps every character of any text', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => joined(text) === text));
    fc.assert(fc.property(fc.json(), (text) => joined(text) === text));
  });

  it('indent changes only blanks', () => {
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

  it('indent turns JSON into JSON of the same value', () => {
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

  it('the lexer knows the pointer of each value, through arrays and escaped names', () => {
    const tokens = lex('{"a":[1,{"b/c":2}],"a":3}');
    const pointers = tokens.filter((token) => token.kind === 'number').map((token) => [token.pointer, token.text]);
    expect(pointers).toEqual([
      ['/a/0', '1'],
      ['/a/1/b~1c', '2'],
      ['/a', '3'],
    ]);
  });

  it('the lexer keeps both of two members with one name', () => {
    expect(indent(lex('{"a":1,"a":2}')).filter((token) => token.kind === 'name')).toHaveLength(2);
  });
});
