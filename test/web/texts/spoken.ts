import { onTestFinished } from 'vitest';
import { readSpeechFrom, type Speech } from '../../../web/texts/area.ts';
import { de } from '../../../web/texts/de/index.ts';
import type { LanguageName } from '../../../web/texts/languages.ts';

/** Sets the language of the interface until the end of the test. */
export function spoken(language: LanguageName): void {
  const speech: Speech = language === 'en' ? { language, locale: 'en-US' } : { language, locale: 'de-DE', tables: de };
  const before = readSpeechFrom(() => speech);
  onTestFinished(() => void readSpeechFrom(before));
}
