import { describe, expect, it } from 'vitest';
import { GERMAN } from '../../../web/element/german.ts';
import { DEFAULT_WORDS, type Word } from '../../../web/element/words.ts';

const NAMES = Object.keys(DEFAULT_WORDS) as Word[];
const valuesIn = (text: string): string[] => (text.match(/\{\w+\}/gu) ?? []).toSorted();

describe('the German words of the element', () => {
  it('are as many as the English words', () => {
    expect(Object.keys(GERMAN.words).toSorted()).toEqual(NAMES.toSorted());
  });

  it.each(NAMES)('%s has the same values, and differs from English', (name) => {
    const [english, german] = [DEFAULT_WORDS[name], GERMAN.words[name]];
    expect(valuesIn(german)).toEqual(valuesIn(english));
    expect(german === '').toBe(english === '');
    if (english !== '') expect(german).not.toBe(english);
  });

  it('come with the tables of the records that the element lists, and of the signatures that its card asks for', () => {
    expect(Object.keys(GERMAN.tables ?? {}).toSorted()).toEqual(['amounts', 'passkeys', 'records']);
  });
});
