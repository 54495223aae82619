import { describe, expect, it } from 'vitest';
import { countLookalike } from '../../../core/text/lookalike.ts';

describe('letters that resemble letters of another alphabet', () => {
  it.each([
    ['Cyrillic among Latin', 'p\u0430ypal', 1],
    ['Greek among Latin', '\u03bfther', 1],
    ['full width', '\uff50\uff41\uff59', 1],
    ['mathematical', '\u{1d429}ay', 1],
    ['two of them', 'p\u0430y g\u043e', 2],
    ['words of one alphabet each', 'pay цена τιμή 価格 שלום', 0],
    ['units and numbers', '10 µm, 5 °C, x2', 0],
  ])('countLookalike counts %s', (_name, text, words) => {
    expect(countLookalike(text)).toBe(words);
  });
});
