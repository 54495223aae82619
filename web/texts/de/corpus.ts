import { html } from 'lit';
import { byteCount } from '../amounts.ts';
import type { CorpusTexts } from '../en/corpus.ts';
import type { CorpusViewTexts } from '../en/corpus-view.ts';
import { list, number, plural } from '../intl.ts';

export const corpus: CorpusTexts = {
  added: (name, added, changed, unchanged) =>
    `${name}: ${number(added)} hinzugefügt, ${number(changed)} geändert, ${number(unchanged)} unverändert.`,
  noFiles: (name) => `${name} hat keine Dateien. Es wurde nichts hinzugefügt.`,
  noneMatches: (name, files) =>
    `Keine der ${number(files)} Dateien von ${name} passt zu den Mustern. Ändern Sie die Muster, oder wählen Sie die Dateien einzeln.`,
  notesInstead: (name, notes) =>
    `Keine Datei von ${name} passt zu den Mustern, aber ${plural(notes, { one: '# ist', other: '# sind' })} Markdown oder Text.`,
  leftOut: {
    notText: (byte) => `kein UTF-8-Text: Byte ${number(byte)} ist ungültig`,
    large: (size, most) => `${byteCount(size)}, die Grenze sind ${byteCount(most)}`,
    path: (reason) => `der Name wird nicht angenommen: ${reason}`,
    twice: 'eine andere Datei heißt genauso',
  },
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
  own: {
    name: 'Ihre Dateien',
    task: 'Wovon handeln meine Dateien?',
    question: 'Ihre Frage zu diesen Dateien',
    example: 'Wann ist mein Termin?',
    ask: 'Fragen',
    may: (files) => `Läufe dürfen Ihre ${plural(files, { one: '# Datei', other: '# Dateien' })} durchsuchen und lesen`,
    on: 'Ein Modell auf diesem Gerät liest Teile davon, ohne Sie zu fragen. Ein Modell anderswo bekommt erst Text, wenn Sie zustimmen.',
    off: 'Kein Lauf kann sie durchsuchen oder lesen, in keiner Form.',
    revoked:
      'Sie haben die Erlaubnis für content.read widerrufen, darum kann kein Lauf sie durchsuchen oder lesen. Schalten Sie ein, um sie wieder zu geben.',
    partly:
      'Eine Erlaubnis fehlt oder ist verweigert, darum kommt ein Lauf vielleicht an einen Teil. Schalten Sie ein, oder ein und aus, um über alle zu entscheiden.',
    answers: (model, place) => `${model}, ${place}, antwortet.`,
    noModel: 'Welches Modell antwortet, wählen Sie beim Fragen.',
    unreached: (files) => `Ein Lauf käme jetzt nicht an Ihre ${plural(files, { one: '# Datei', other: '# Dateien' })}.`,
    mend: 'Läufe lesen lassen',
    empty: 'Es gibt noch keine Dateien, also kann dieser Lauf nicht aus ihnen antworten.',
    add: 'Dateien hinzufügen',
    beside: (files) =>
      `Dieser Lauf arbeitet für sein eigenes Szenario. Er darf auch Ihre ${plural(files, { one: '# Datei', other: '# Dateien' })} lesen.`,
    only: 'Zu meinen Dateien fragen',
    script: (files) =>
      `In diesem Lauf schlägt ein Skript vor, und es liest Ihre ${plural(files, { one: 'Datei', other: '# Dateien' })} nicht. Ein Modell kann daraus antworten.`,
  },
  files: (files) => plural(files, { one: '# Datei', other: '# Dateien' }),
  dropped: (items) => plural(items, { one: '# abgelegtes Element', other: '# abgelegte Elemente' }),
};

const files = (n: number): string => plural(n, { one: '# Datei', other: '# Dateien' });
const sections = (n: number): string => plural(n, { one: '# Abschnitt', other: '# Abschnitte' });
const lines = (n: number): string => plural(n, { one: '# Zeile', other: '# Zeilen' });

export const corpusView: CorpusViewTexts = {
  title: 'Korpus',
  asking: 'Der Kernel wird gefragt …',
  none: {
    title: 'Es gibt noch keine Inhalte',
    what: 'Läufe lesen Ihre Dateien erst, wenn Sie sie hier hinzufügen. Die Seite zerlegt Dateien in Abschnitte und gibt Abschnitten Namen. Ein Modell erhält begrenzte Ausschnitte davon, innerhalb von Budgets, und jeder Ausschnitt wird mit seinem Hash festgehalten.',
    begin: 'Beginnen Sie mit den Papieren der Bäckerei, um sich umzusehen.',
  },
  files: 'Dateien',
  overview: (allFiles, allSections, allBytes) =>
    html`${files(allFiles)}, ${sections(allSections)}, ${byteCount(allBytes)} <span class="soft">· Index</span>`,
  rebuild: 'Neu aufbauen und vergleichen',
  rebuiltSame: 'Neu aufgebaut: derselbe Index, Byte für Byte.',
  rebuiltOther: (hash, differing, names) =>
    html`Neu aufgebaut: ${hash}. ${plural(differing, { one: '# Datei weicht', other: '# Dateien weichen' })} ab: ${names}`,
  clear: 'Alle Dateien löschen',
  clearAsks: (all) => `${files(all)} löschen?`,
  keep: 'Behalten',
  remove: 'Löschen',

  changes: {
    title: 'Vom offenen Lauf geschrieben',
    step: (step) => `Schritt ${step}: `,
    takeBack: 'Zurücknehmen',
    since: 'Seitdem geändert.',
  },

  file: {
    size: (allLines, allBytes) => `${lines(allLines)}, ${byteCount(allBytes)}`,
    labels: 'privat, nicht vertrauenswürdig',
    labelsHint: 'Bevor dieser Text das Gerät verlässt, fragt die Seite Sie. Anweisungen darin werden nicht befolgt',
    sections: (all) => sections(all),
    text: 'Wortlaut',
    lines: 'Zeilen, von 0 gezählt wie in Ausschnitten',
    moreLines: (more) => `und ${lines(more)} mehr.`,
    beforeHeading: 'Vor der ersten Überschrift',
    range: (start, end) => `Zeilen ${start}–${end} · `,
  },

  list: {
    search: 'Im Text suchen',
    searches: 'Es wird gesucht …',
    moreFiles: (more) => `und ${files(more)} mehr. Die Suche findet sie.`,
    unitSections: (sections) => (sections === 1 ? ' Abschnitt' : ' Abschnitte'),
    wholeFile: 'Die ganze Datei',
    found: (matches) => `${sections(matches)}, die besten zuerst`,
    foundIn: (matches, searched, all) =>
      `${sections(matches)} in ${number(searched)} von ${files(all)}, die besten zuerst.`,
    notFound: 'Kein Abschnitt enthält diese Wörter.',
    notFoundIn: (searched, all) => `Kein Abschnitt in ${number(searched)} von ${files(all)} enthält diese Wörter.`,
    left: (names, more) =>
      `Nicht durchsucht, weil zusammen zu groß: ${list(more > 0 ? [...names, `${number(more)} weitere`] : names)}.`,
  },

  slice: {
    title: 'Einen Ausschnitt ausprobieren',
    ref: 'Symbol, Abschnitt oder Datei',
    slice: 'Ausschnitt',
    try: 'Ausprobieren',
    forExample: 'Zum Beispiel',
    refused: 'Abgelehnt',
    noText: (code) =>
      html`Das Modell würde keinen Text erhalten. Der Beleg trüge den Code <span class="mono">${code}</span>.`,
    bytes: (used, limit) => html`<strong class="bytes">${byteCount(used)}</strong> von ${number(limit)}`,
    sections: (used, limit) => html`<strong>${sections(used)}</strong> von ${number(limit)}`,
    expansion: (limit) => html`<strong>1 Expansion</strong> von ${number(limit)}`,
    delivers: 'Was der Ausschnitt liefert',
  },

  sources: {
    folder: 'Ordner hinzufügen',
    files: 'Dateien oder Zip hinzufügen',
    address: 'Von einer Adresse',
    demo: 'Papiere der Bäckerei hinzufügen',
    patterns: 'Welche Dateien',
    selection: 'Aus einem Ordner oder Zip kommen',
    selections: {
      notes: 'Markdown und Text',
      contract: 'Die sechs Ordner des Catalytic-Vertrags',
      own: 'Eigene Muster',
    },
    leftOut: (all) => `${files(all)} ausgelassen`,
    moreLeft: (more) => `und ${number(more)} weitere`,
    notes: 'Markdown und Text hinzufügen',
    filesField: 'Dateien',
    folderField: 'Ordner',
    drop: 'Oder ziehen Sie die Dateien irgendwo hierher. Es wird nichts hochgeladen: Sie kommen in den Speicher dieses Browsers.',
    patternsField: 'Muster, jedes in einer eigenen Zeile',
    patternsHint: () =>
      html`<code>**</code> steht für null oder mehr Ordner, <code>*</code> bleibt in einem; <code>**/*.md</code> ist alles Markdown. Einzeln gewählte Dateien werden alle genommen.`,
    base: 'Basisadresse',
    paths: 'Pfade darunter, einer je Zeile',
    fetch: 'Abrufen',
    reach: 'Diese Seite darf nur den Server erreichen, von dem sie kam.',
    listing: 'Wird durchgesehen …',
    indexing: (done, doneBytes) => `${files(done)}, ${byteCount(doneBytes)}`,
    indexingOf: (done, all, doneBytes) => `${files(done)} von ${number(all)}, ${byteCount(doneBytes)}`,
    storing: (all) => plural(all, { one: '# Datei wird gespeichert …', other: '# Dateien werden gespeichert …' }),
    adding: (name) => `${name} wird hinzugefügt`,
    left: (seconds) => `noch etwa ${number(seconds)} s`,
    cancel: 'Abbrechen',
    papers: 'Papiere der Bäckerei',
    undo: 'Rückgängig',
    replace: 'Ersetzen',
    takeBack: 'Zurücknehmen',
    outside: 'ihre Adresse liegt außerhalb der Basisadresse',
    answered: (status) => `der Server antwortete ${status}`,
    unpacksTo: (size, limit) => `entpackt hat sie ${size} Bytes, die Grenze sind ${limit}`,
    unpacksToMore: 'entpackt hat sie mehr Bytes, als sie angibt',
  },

  symbols: {
    title: (symbols) => plural(symbols, { one: '# Symbol', other: '# Symbole' }),
    export: 'Exportieren',
    import: 'Importieren',
    file: 'Symbole',
    symbol: 'Symbol für die gewählte Stelle',
    as: 'Als',
    slice: 'Ausschnitt als Vorgabe',
    define: 'Definieren',
    tools: () => html`Jede registrierte Fähigkeit hat das Symbol <span class="mono">@TOOLS/…</span> mit ihrem Namen.`,
    forget: (symbol) => `${symbol} löschen`,
  },
};
