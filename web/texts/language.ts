import { computed, effect, type ReadonlySignal, signal } from '@preact/signals-core';
import { loadPart } from '../../workers/load-part.ts';
import { readSpeechFrom, type Speech, type Tables } from './area.ts';
import { type LanguageName, localeOf } from './languages.ts';

/** The tables of each language that is loaded on demand. */
const LOADERS: { readonly [L in Exclude<LanguageName, 'en'>]: () => Promise<Tables> } = {
  de: async () => (await loadPart(() => import('./de/index.ts'))).de,
};

const current = signal<Speech>({ language: 'en', locale: localeOf('en') });
readSpeechFrom(() => current.value);

/** The language of the interface; its texts are loaded. */
export const language: ReadonlySignal<LanguageName> = computed(() => current.value.language);

let latest: LanguageName = 'en';

/**
 * Changes the language when its texts are loaded. A later call replaces a call that still loads. Rejects if the texts
 * cannot be loaded: the language then stays as it was.
 */
export async function speak(wanted: LanguageName): Promise<void> {
  latest = wanted;
  const tables = wanted === 'en' ? undefined : await LOADERS[wanted]();
  if (latest === wanted) current.value = { language: wanted, locale: localeOf(wanted), ...(tables && { tables }) };
}

/** Tells the document its language from now on, for speech, hyphenation and fonts. Every language is written to the right. */
export function labelDocument(root: HTMLElement): void {
  effect(() => {
    root.lang = language.value;
    root.dir = 'ltr';
  });
}
