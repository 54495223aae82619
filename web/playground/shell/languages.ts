import { type ReadonlySignal, signal } from '@preact/signals-core';
import { speak } from '../../texts/language.ts';
import { LANGUAGES, type LanguageName, preferredLanguage } from '../../texts/languages.ts';
import { readSetting, writeSetting } from '../parts/local-storage.ts';

/** Name of each language in that language, so that a person finds it on a page in any other. */
export const LANGUAGE_NAMES: { readonly [L in LanguageName]: string } = { en: 'English', de: 'Deutsch' };

const KEY = 'sallyport.language';

const missing = signal<LanguageName | undefined>(undefined);
/** The language whose texts could not be loaded; undefined after a language was loaded. */
export const missingLanguage: ReadonlySignal<LanguageName | undefined> = missing;

/** The language of the first screen: the person's choice on this device, or else a language of the browser. */
export function firstLanguage(): LanguageName {
  const chosen = readSetting(KEY);
  return LANGUAGES.find((name) => name === chosen) ?? preferredLanguage();
}

/** Changes the language; where its texts cannot be loaded, the language stays and `missingLanguage` names it. */
export async function beginLanguage(wanted: LanguageName): Promise<void> {
  try {
    await speak(wanted);
    missing.value = undefined;
  } catch {
    missing.value = wanted;
  }
}

/** Changes the language by a person's choice, which this device keeps. */
export async function chooseLanguage(wanted: LanguageName): Promise<void> {
  await beginLanguage(wanted);
  if (missing.peek() === undefined) writeSetting(KEY, wanted);
}

/** The language after this in the list of languages. */
export function nextLanguage(current: LanguageName): LanguageName {
  return LANGUAGES[(LANGUAGES.indexOf(current) + 1) % LANGUAGES.length] ?? 'en';
}
