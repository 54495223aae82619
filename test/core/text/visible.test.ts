import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { countUnseen, visible, visibleJson, visibleLine, visibleText } from '../../../core/text/visible.ts';

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
  ])('visibleText writes out %s', (_name, text, escape) => {
    expect(visibleText(text)).toContain(escape);
    expect(countUnseen(text)).toBe(1);
  });

  it.each(['plain words', 'Zürich, 価格, цена', 'one\ntwo', '£606.60 °C'])('visible keeps %j unchanged', (text) => {
    expect(visible(text).map((piece) => ('text' in piece ? piece.text : ''))).toEqual([text]);
  });

  it('visible loses no character: the plain pieces and the escapes account for each', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const plain = visible(text).reduce((n, piece) => n + ('text' in piece ? [...piece.text].length : 1), 0);
        return plain === [...text].length;
      }),
    );
  });
});

describe('text for terminals', () => {
  it('visibleLine turns line breaks into escapes', () => {
    expect(visibleLine('a\nb\u001b')).toBe('a\\nb\\u001b');
  });

  it('visibleJson writes JSON of the same value without unseen characters', () => {
    fc.assert(
      fc.property(fc.json({ stringUnit: 'binary' }), (json) => {
        expect(JSON.parse(visibleJson(json))).toEqual(JSON.parse(json));
        expect(countUnseen(visibleJson(json))).toBe(0);
      }),
    );
  });
});
