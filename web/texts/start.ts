import type { LanguageName } from './languages.ts';

/** The words before the texts of a language are loaded, and while the kernel starts. */
export interface StartTexts {
  readonly starting: string;
  readonly late: string;
  readonly preparing: (percent: number) => string;
  readonly notStarted: (why: string) => string;
  readonly stillStarting: string;
  /** The page is of another build than the files. */
  readonly missing: string;
  /** Button beside an error that a reload mends. */
  readonly reload: string;
}

/** Both languages are in the first script, so that a start in German needs no further request. */
export const START: { readonly [L in LanguageName]: StartTexts } = {
  en: {
    starting: 'Starting the kernel. Everything stays on this device.',
    late: 'This takes longer than usual. Reloading the page may help, and closing other tabs of it.',
    preparing: (percent) => `Preparing the ledger of this device: ${percent} %`,
    notStarted: (why) => `Sallyport could not start. ${why}`,
    stillStarting: 'The kernel is still being started.',
    missing:
      'This page and its files do not fit together: its site is being changed at this moment. Reload the page in a minute.',
    reload: 'Reload the page',
  },
  de: {
    starting: 'Der Kernel startet. Alles bleibt auf diesem Gerät.',
    late: 'Das dauert länger als üblich. Vielleicht hilft es, die Seite neu zu laden und andere Tabs davon zu schließen.',
    preparing: (percent) => `Das Protokoll dieses Geräts wird vorbereitet: ${percent} %`,
    notStarted: (why) => `Sallyport konnte nicht starten. ${why}`,
    stillStarting: 'Der Kernel wird noch gestartet.',
    missing:
      'Diese Seite und ihre Dateien passen nicht zusammen: Ihre Website wird gerade geändert. Laden Sie die Seite in einer Minute neu.',
    reload: 'Seite neu laden',
  },
};
