import { describe, expect, it, onTestFinished } from 'vitest';
import { visibleText } from '../../../core/index.ts';
import { readSpeechFrom } from '../../../web/texts/area.ts';
import { dateSecond, dateTime, list, number, plural, timeOfDay, universalTime } from '../../../web/texts/intl.ts';
import { spoken } from './spoken.ts';

const NOON = new Date(2026, 0, 2, 13, 4, 5).getTime();

describe('numbers, lists and dates', () => {
  it('numbers, lists and dates are in English by default', () => {
    spoken('en');
    expect(number(1234.5)).toBe('1,234.5');
    expect(list(['a', 'b', 'c'])).toBe('a, b, and c');
    expect(dateTime(NOON)).toMatch(/^Jan 2, 2026, 1:04\sPM$/u);
    expect(timeOfDay(NOON)).toMatch(/^1:04:05\sPM$/u);
    expect(universalTime(Date.UTC(2026, 0, 2, 13, 4, 5))).toBe('Jan 2, 2026, 1:04:05 PM UTC');
  });

  it('numbers, lists and dates follow the language', () => {
    spoken('de');
    expect(number(1234.5)).toBe('1.234,5');
    expect(list(['a', 'b', 'c'])).toBe('a, b und c');
    expect(dateTime(NOON)).toBe('02.01.2026, 13:04');
    expect(timeOfDay(NOON)).toBe('13:04:05');
    expect(universalTime(Date.UTC(2026, 0, 2, 13, 4, 5))).toBe('02.01.2026, 13:04:05 UTC');
  });

  it.each(['de-AT', 'en-ZA', 'en-US'])(
    'numbers and dates in %s have plain spaces, which views show as they are',
    (locale) => {
      const before = readSpeechFrom(() => ({ language: 'en', locale }));
      onTestFinished(() => void readSpeechFrom(before));
      for (const text of [number(1_234_567), dateTime(NOON), timeOfDay(NOON), universalTime(NOON)])
        expect(visibleText(text)).toBe(text);
    },
  );

  it.each(['en', 'de'] as const)('a time that no calendar has stays a number in %s', (language) => {
    spoken(language);
    // a record of a stranger may have any whole number
    for (const form of [dateTime, dateSecond, timeOfDay, universalTime])
      expect(form(Number.MAX_SAFE_INTEGER)).toBe('9007199254740991');
  });

  it('a plural has the form of its number, and its digits in groups', () => {
    spoken('en');
    const forms = { one: '# step', other: '# steps' };
    expect([0, 1, 2, 1000].map((steps) => plural(steps, forms))).toEqual([
      '0 steps',
      '1 step',
      '2 steps',
      '1,000 steps',
    ]);
  });

  it('a plural without the form of its number takes the other form', () => {
    spoken('de');
    expect(plural(1, { other: '# Byte' })).toBe('1 Byte');
  });
});
