import { afterEach, describe, expect, it, vi } from 'vitest';
import { records } from '../../../web/texts/en/records.ts';
import { language, speak } from '../../../web/texts/language.ts';
import { languageOf, localeOf, preferredLanguage } from '../../../web/texts/languages.ts';

function browserLanguages(...languages: string[]): void {
  vi.stubGlobal('navigator', { languages });
}

describe('the language of the interface', () => {
  afterEach(async () => {
    vi.unstubAllGlobals();
    await speak('en');
  });

  it.each([
    ['de-AT', 'de'],
    ['DE', 'de'],
    ['en-GB', 'en'],
    ['den', undefined],
    ['fr', undefined],
  ])('the language of the tag %s is %s', (tag, name) => expect(languageOf(tag)).toBe(name));

  it.each([
    [['de-AT', 'en'], 'de'],
    [['fr', 'de', 'en'], 'de'],
    [['fr', 'en', 'de'], 'en'],
    [['fr'], 'en'],
    [[], 'en'],
  ])('a browser with the languages %j gets %s', (languages, name) => {
    browserLanguages(...languages);
    expect(preferredLanguage()).toBe(name);
  });

  it('the locale of numbers is the first of the browser in that language', () => {
    browserLanguages('fr', 'de-CH', 'de', 'en-GB');
    expect(localeOf('de')).toBe('de-CH');
    expect(localeOf('en')).toBe('en-GB');
  });

  it('the locale is the language alone where the browser names none', () => {
    browserLanguages('fr');
    expect(localeOf('de')).toBe('de');
  });

  it('an area speaks the language whose texts were loaded last', async () => {
    await speak('de');
    expect([language.value, records().words.denied]).toEqual(['de', 'verweigert']);
    await speak('en');
    expect([language.value, records().words.denied]).toEqual(['en', 'denied']);
  });

  it('a later choice replaces a choice whose texts still load', async () => {
    const slow = speak('de');
    await speak('en');
    await slow;
    expect(language.value).toBe('en');
  });
});
