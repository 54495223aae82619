import { describe, expect, it } from 'vitest';
import { countLookalike } from '../../../core/text/lookalike.ts';

describe('letters that resemble letters of another alphabet', () => {
  it.each([
    ['Cyrillic among Latin', 'p\u0430ypal', 1],
    ['Greek among Latin', '\u03bfther', 1],
    ['full width', '\uff50\uff41\uff59', 1],
    ['mathematical', '\u{1d429}ay', 1],
    ['Hebrew, Thai, Arabic and Georgian among Latin', 'payp\u05e1l pay\u0e23l pay\u0627l \u10bdend', 4],
    ['a Roman numeral', 'paypa\u217c.com', 1],
    ['a phonetic letter and a small capital', 'p\u0251ypal pa\ua731ypal', 2],
    ['a letter in a circle', '\u24d0paypal', 1],
    ['whole words of a name', '\u0440\u0430\u0443\u0440\u0430.\u0441\u043e\u043c', 2],
    ['a whole word before Latin ones', 'a@\u0440\u0430\u0443\u0440\u0430.com', 1],
    ['a dotless i in a name', 'm\u0131crosoft.com', 1],
    ['two of them', 'p\u0430y g\u043e', 2],
    ['words of one alphabet each', 'pay цена τιμή 価格 שלום', 0],
    ['words and names of other alphabets', 'у о с, хор. пример.рф אתר.קום', 0],
    ['Chinese, Japanese and Korean beside Latin', 'AI模型 Tシャツ iPhone에서', 0],
    ['letters that languages write with', 'ışık əli ɛ ñ 1ª nº ǆ', 0],
    ['units and numbers', '10 µm, 5 °C, x2', 0],
  ])('countLookalike counts %s', (_name, text, words) => {
    expect(countLookalike(text)).toBe(words);
  });
});
