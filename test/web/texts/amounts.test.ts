import { describe, expect, it } from 'vitest';
import { byteCount, byteSize, elapsed, money, roughly } from '../../../web/texts/amounts.ts';
import { spoken } from './spoken.ts';

describe('amounts for a person', () => {
  it.each([
    [0, 'under 1 ms', 'unter 1 ms'],
    [12, '12 ms', '12 ms'],
    [1340, '1.3 s', '1,3 s'],
    [61_000, '1 min 1 s', '1 min 1 s'],
  ])('elapsed writes %d ms as %s, in German as %s', (ms, en, de) => {
    spoken('en');
    expect(elapsed(ms)).toBe(en);
    spoken('de');
    expect(elapsed(ms)).toBe(de);
  });

  it.each([
    [2000, '2 s', '2 s'],
    [119_000, '2 min', '2 min'],
    [7_200_000, '2 h', '2 h'],
    [86_400_000, '1 day', '1 Tag'],
    [172_800_000, '2 days', '2 Tage'],
  ])('roughly writes %d ms as %s, in German as %s', (ms, en, de) => {
    spoken('en');
    expect(roughly(ms)).toBe(en);
    spoken('de');
    expect(roughly(ms)).toBe(de);
  });

  it.each([
    [1, '1 byte', '1 Byte'],
    [999, '999 bytes', '999 Byte'],
    [1000, '1 KB', '1 KB'],
    [279_808, '280 KB', '280 KB'],
    [1_500_000, '1.5 MB', '1,5 MB'],
    [4_294_967_296, '4.3 GB', '4,3 GB'],
  ])('byteSize writes %d bytes as %s, in German as %s', (bytes, en, de) => {
    spoken('en');
    expect(byteSize(bytes)).toBe(en);
    spoken('de');
    expect(byteSize(bytes)).toBe(de);
  });

  it('byteCount writes every byte', () => {
    spoken('en');
    expect(byteCount(1_048_609)).toBe('1,048,609 bytes');
    spoken('de');
    expect([byteCount(1), byteCount(1_048_609)]).toEqual(['1 Byte', '1.048.609 Byte']);
  });

  it('money has three digits that count below one unit of its currency', () => {
    spoken('en');
    expect([money(0.001234, 'USD'), money(12.3, 'EUR')]).toEqual(['$0.00123', '€12.30']);
    spoken('de');
    expect(money(0.001234, 'USD')).toBe('0,00123\u00a0$');
  });
});
