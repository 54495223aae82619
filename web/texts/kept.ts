import { speech } from './area.ts';
import type { LanguageName } from './languages.ts';

/** Keeps what `make` returns for each object, until the language of the interface changes. */
export function keptInLanguage<K extends object, V>(make: (key: K) => V): (key: K) => V {
  const made = new WeakMap<K, { readonly language: LanguageName; readonly value: V }>();
  return (key) => {
    const { language } = speech();
    const found = made.get(key);
    if (found?.language === language) return found.value;
    const value = make(key);
    made.set(key, { language, value });
    return value;
  };
}
