import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { countLookalike, countUnseen, visible, visibleJson, visibleLine, visibleText } from '../../../../core/inner.ts';
import { inFigures } from '../../../../web/playground/parts/figures.ts';
import { indent, lex } from '../../../../web/playground/parts/json-lexer.ts';

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

describe('letters that look like others', () => {
  it.each([
    ['Cyrillic among Latin', 'p\u0430ypal', 1],
    ['Greek among Latin', '\u03bfther', 1],
    ['full width', '\uff50\uff41\uff59', 1],
    ['mathematical', '\u{1d429}ay', 1],
    ['two of them', 'p\u0430y g\u043e', 2],
    ['words of one alphabet each', 'pay цена τιμή 価格 שלום', 0],
    ['units and numbers', '10 µm, 5 °C, x2', 0],
  ])('counts %s', (_name, text, words) => {
    expect(countLookalike(text)).toBe(words);
  });
});

describe('text for terminals', () => {
  it('is one line where one is wanted', () => {
    expect(visibleLine('a\nb\u001b')).toBe('a\\nb\\u001b');
  });

  it('is JSON of the same value, whatever is in it', () => {
    fc.assert(
      fc.property(fc.json({ stringUnit: 'binary' }), (json) => {
        expect(JSON.parse(visibleJson(json))).toEqual(JSON.parse(json));
        expect(countUnseen(visibleJson(json))).toBe(0);
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

describe('figures in a sentence of the ledger', () => {
  it.each([
    [
      { used: 10_000_001, limit: 10_000_000 },
      'Stopped: out of fuel: 10,000,001 operations, the limit is 10,000,000. Ask.',
    ],
    [{ used: 12_582_912, limit: 8_388_608 }, 'Too long: 12 MB, the limit is 8 MB. Ask.'],
    [{ used: 1_048_609, limit: 262_144 }, 'Too long: 1,048,609 bytes, the limit is 256 KB. Ask.'],
    [{ used: 4096, limit: 1204 }, 'Over budget: 4,096 bytes, the limit is 1,204 bytes. Ask.'],
    [{ used: 5, limit: 5 }, 'Over budget: 5 bytes, the limit is 5. Ask.'],
  ])('are those of its details, as a person reads them: %j', (details, told) => {
    const [head = ''] = /^.*?(?=: [\d,]+ )/.exec(told) ?? [];
    const unit = told.includes('operations') ? 'operations' : 'bytes';
    expect(inFigures(`${head}: ${details.used} ${unit}, the limit is ${details.limit}. Ask.`, details)).toBe(told);
  });

  it('leaves a stranger’s numbers, and what is no number, as they are', () => {
    const said = 'The capability failed: Error: call 0612345678, id a12345, v1.23456, 98765432. Change it.';
    expect(inFigures(said, { code: 'capability_threw', error: { message: '0612345678' } })).toBe(said);
    expect(inFigures('Line 98765432 of 12345', { line: 12_345 })).toBe('Line 98765432 of 12,345');
  });
});
