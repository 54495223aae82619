/** The languages of the interface. English is part of the code; each other language is loaded on demand. */
export const LANGUAGES = ['en', 'de'] as const;
export type LanguageName = (typeof LANGUAGES)[number];

/** The first locale of this language that the person's browser names, or the language alone. */
export function localeOf(language: LanguageName): string {
  const own = globalThis.navigator?.languages ?? [];
  return [...own, defaultLocale].find((tag) => languageOf(tag) === language) ?? language;
}

/** The first language of the person's browser that the interface has; English if there is none. */
export function preferredLanguage(): LanguageName {
  for (const tag of navigator.languages) {
    const found = languageOf(tag);
    if (found !== undefined) return found;
  }
  return 'en';
}

/** The language of a BCP 47 tag; undefined if the interface does not have it. */
export function languageOf(tag: string): LanguageName | undefined {
  const [primary] = tag.toLowerCase().split('-');
  return LANGUAGES.find((name) => name === primary);
}

const defaultLocale: string = new Intl.NumberFormat().resolvedOptions().locale;
