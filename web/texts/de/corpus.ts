import type { CorpusTexts } from '../en/corpus.ts';
import { number, plural } from '../intl.ts';

export const corpus: CorpusTexts = {
  added: (name, added, changed, unchanged) =>
    `${name}: ${number(added)} hinzugefügt, ${number(changed)} geändert, ${number(unchanged)} unverändert.`,
  noFiles: (name) => `${name} hat keine Dateien. Es wurde nichts hinzugefügt.`,
  noneMatches: (name, files) =>
    `Keine der ${number(files)} Dateien von ${name} passt zu den Mustern. Ändern Sie die Muster, oder wählen Sie die Dateien einzeln.`,
  unreadable: (path, why) => `${path} ließ sich nicht lesen: ${why}. Es wurde nichts hinzugefügt.`,
  cancelled: 'Abgebrochen. Es wurde nichts hinzugefügt.',
  large:
    'Diese Dateien ersetzen vorhandene Dateien, mehr als diese Seite zurückholen kann. Es wurde noch nichts hinzugefügt.',
  filesRestored: 'Die Dateien sind wieder wie zuvor.',
  removed: (path) => `${path} wurde gelöscht.`,
  back: (name) => `${name} ist wieder da.`,
  takenBack: (step) => `Die Änderungen von Schritt ${step} wurden zurückgenommen.`,
  stepBack: (step) => `Die Änderungen von Schritt ${step} sind wieder da.`,
  largeStep: (step) =>
    `Die Dateien von Schritt ${step} enthalten mehr Text, als diese Seite wiederherstellen kann. Noch wurde nichts zurückgenommen.`,
  symbols: {
    defined: (symbol) => `${symbol} ist definiert.`,
    forgotten: (symbol) => `${symbol} wurde gelöscht.`,
    imported: (symbols) => `${plural(symbols, { one: '# Symbol wurde', other: '# Symbole wurden' })} übernommen.`,
    restored: 'Die Symbole sind wieder wie zuvor.',
  },
  files: (files) => plural(files, { one: '# Datei', other: '# Dateien' }),
  dropped: (items) => plural(items, { one: '# abgelegtes Element', other: '# abgelegte Elemente' }),
};
