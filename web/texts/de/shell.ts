import { html } from 'lit';
import { byteSize } from '../amounts.ts';
import type { AboutTexts } from '../en/about.ts';
import type { GuideTexts } from '../en/guide.ts';
import type { HelpTexts } from '../en/help.ts';
import type { ShellTexts } from '../en/shell.ts';
import { plural } from '../intl.ts';

export const shell: ShellTexts = {
  views: {
    learn: 'Lernen',
    run: 'Lauf',
    capabilities: 'Fähigkeiten',
    corpus: 'Korpus',
    audit: 'Prüfung',
    about: 'Über',
  },
  parts: { catalogue: 'Katalog', allowed: 'Erlaubtes', workshop: 'Werkstatt', breakout: 'Ausbruch' },
  viewsLabel: 'Ansichten',
  viewMenu: 'Ansicht: ',
  unknownView: (name, views) => `Diese Seite hat keine Ansicht namens „${name}“. Wählen Sie oben ${views.join(', ')}.`,
  filesNotOffered: (reason) => `Läufe können Ihre Dateien nicht lesen: ${reason}`,
  scenarioNotOpened: (reason) => `Das Szenario wurde nicht geöffnet: ${reason}`,
  noScenario: (name) => `Kein Szenario heißt „${name}“.`,
  nameTaken: (name) =>
    `Eine andere Fähigkeit heißt ${name}. Entfernen Sie sie unter Fähigkeiten, und öffnen Sie es erneut.`,
  ownNotStored: (name, why) =>
    `Die Änderung an ${name} ließ sich in diesem Browser nicht speichern: Sie gilt, bis die Seite geschlossen wird. ${why}`,
  ownNotLoaded: (names) =>
    `Eigene Fähigkeiten, die sich nicht laden ließen und gespeichert bleiben: ${names.join(', ')}.`,
  runNotHere: 'Dieser Lauf ist nicht auf diesem Gerät. Es wurde nichts geöffnet.',
  themes: { auto: 'automatisch', light: 'hell', dark: 'dunkel' },
  theme: (theme) => `Farben: ${theme}`,
  changeTheme: (theme) => `Farben: ${theme}. Ändern`,
  language: 'Sprache',
  languageIs: (name) => `Sprache: ${name}`,
  changeLanguage: (code, name) => `${code}, Sprache: ${name}. Ändern`,
  languageMissing: (name) =>
    `Die Texte auf ${name} konnten nicht geladen werden, die Sprache bleibt daher wie sie ist. Wählen Sie sie online noch einmal, oder laden Sie die Seite neu.`,
  columns: { setup: 'Vorschlag', timeline: 'Protokoll', inspector: 'Eintrag' },
  columnsLabel: 'Spalten',
  setup: 'Einrichtung',
  ledger: 'Protokoll',
  record: 'Eintrag',
  setupWidth: 'Breite der Einrichtung',
  recordWidth: 'Breite des Eintrags',
  widthShare: (percent) => `${percent} % der Seite`,
  gates: 'Schranken',
  gatesOfStep: (step) => `Schranken von Schritt ${step}`,
  tenGates: 'Jede Anfrage passiert zehn Schranken, bevor etwas geschieht',
  atRecord: (seq) => `(bei Eintrag ${seq})`,
  step: (step) => `Schritt ${step}`,
  older: 'Diese Seite ist älter als ihre Website, und ihr fehlen Dateien. Beim Neuladen geht kein Lauf verloren.',
  dialogNotLoaded: (why) => `Der Dialog konnte nicht geladen werden: ${why}`,

  status: {
    run: 'Lauf: ',
    dismiss: 'Ausblenden',
    cancel: 'Nicht warten',
    cancelTitle: 'Beendet die Anfrage an das Modell. Der Lauf ruht, und „Laufen lassen“ fragt wieder.',
    keys: () => html`<kbd>?</kbd> Tasten`,
    help: 'Hilfe',
    docs: 'Doku',
    saved: (file, bytes) => `${file} gespeichert, ${byteSize(bytes)}, bei Ihren Downloads.`,
  },

  place: {
    class: 'Meine Klasse',
    lessons: 'Die Lektionen.',
    lesson: (lesson, title) => `Lektion ${lesson}${title === undefined ? '' : `: ${title}`}`,
    noFile: 'Prüfung: Es ist keine Datei geöffnet.',
    file: (name) => `Prüfung: ${name}.`,
    run: (what, id, status) => `${what}, Lauf ${id}: ${status}`,
  },

  notifications: {
    denied: 'Der Browser verbietet dieser Seite Mitteilungen. Seine Einstellungen für diese Seite ändern das.',
    unanswered: 'Nichts wurde gewählt, also kommt keine Mitteilung. Wählen Sie den Befehl noch einmal.',
    absent: 'Dieser Browser hat für diese Seite keine Mitteilungen.',
    title: 'Eine Frage wartet auf Sie',
    call: (name) => `${name} fragt.`,
    other: 'Öffnen Sie die Seite und lesen Sie sie.',
  },

  commands: {
    label: 'Befehle',
    field: 'Befehl',
    placeholder: 'Was möchten Sie tun?',
    none: 'Kein Befehl heißt so.',
    script: 'Das Skript schlägt vor',
    you: 'Sie schlagen vor',
    model: 'Ein Modell schlägt vor',
    newRun: 'Neuer Lauf',
    endRun: 'Diesen Lauf beenden …',
    copyCode: 'Als Code kopieren: Node, eine Seite',
    embed: 'Einbetten: eine Seite mit dem Element',
    gallery: 'Mit einem Szenario beginnen: Mail, Kalender, Laden, Tabelle, Wiki, Bücherregal',
    guide: 'Die erste Minute noch einmal zeigen',
    storage: 'Was auf diesem Gerät liegt: archivieren, Bytes entfernen, löschen, sichern',
    notify: 'Mitteilungen: eine Frage melden, während diese Seite nicht zu sehen ist',
    projectorOn: 'Projektormodus: größere Schrift',
    projectorOff: 'Projektormodus aus',
    server: 'Modellserver wechseln',
    compare: 'Mit einem anderen Lauf vergleichen',
    readRun: 'Einen exportierten Lauf lesen',
    workshop: 'Werkstatt: eine eigene Fähigkeit schreiben',
    breakout: 'Ausbruch: versuchen, die Sandbox zu verlassen',
    first: 'Zum ersten Eintrag',
    last: 'Zum letzten Eintrag',
    goTo: (view) => `Gehe zu ${view}`,
    step: 'Schritt',
    run: 'Laufen lassen',
    nextRecord: 'Nächster Eintrag',
    previousRecord: 'Voriger Eintrag',
    nextProblem: 'Nächstes Problem',
    previousProblem: 'Voriges Problem',
    nextSide: 'Nächster Reiter des Eintrags',
    previousSide: 'Voriger Reiter des Eintrags',
    pin: 'Eintrag anheften',
    inspector: 'In den Inspektor',
    question: 'Zur Frage',
    filter: 'Filtern',
    export: 'Diesen Lauf exportieren oder senden',
    all: 'Alle Befehle',
    help: 'Diese Hilfe',
  },

  keys: { Control: 'Strg', Enter: 'Eingabe', Escape: 'Esc' },

  trust: {
    title: 'Was diese Seite erreichen kann',
    kernel: 'Kernel',
    thisPage: 'Diese Seite',
    storage: 'Speicher',
    offline: 'Offline',
    starting: { short: 'Kernel startet', long: 'Der Kernel wird gestartet.' },
    isolation: {
      locked: {
        short: 'Kernel gesperrt',
        long: 'Der Kernel und seine Sandboxen haben kein Netz. Der Browser erzwingt das, und ein Test bei jedem Start hat es bestätigt.',
      },
      development: {
        short: 'Entwicklung',
        long: 'Entwicklungsserver: Der Kernel darf Module von diesem Server laden. In der gebauten Seite ist er gesperrt.',
      },
      unlocked: {
        short: 'Kernel nicht gesperrt',
        long: 'Der Kernel oder seine Sandbox kann hier das Netz erreichen: Die Datei kam ohne ihren Policy-Header. Ergänzen Sie den Header, oder erlauben Sie den Service Worker.',
      },
      node: { short: 'Node', long: 'Diese Laufzeit läuft in Node, wo kein Browser sie sperrt.' },
    },
    memoryOnly: '· nur im Arbeitsspeicher',
    elsewhere: (requests) => `· ${plural(requests, { one: '# Anfrage nach außen', other: '# Anfragen nach außen' })}`,
    probes: {
      fetch: 'Anfragen (fetch)',
      eval: 'Code aus Text (eval)',
      import: 'Code von anderswo (import)',
      eventsource: 'Datenströme (EventSource)',
      'navigator.serviceWorker': 'Service Worker (navigator.serviceWorker)',
      'navigator.storage': 'abgelegte Dateien (navigator.storage)',
    },
    blocked: 'blockiert',
    notBlocked: 'nicht blockiert',
    traffic: (away, own) =>
      `${plural(away, { one: '# Anfrage', other: '# Anfragen' })} an andere Orte, seit sie bereit ist, und ${plural(own, { one: '# eigene Datei', other: '# eigene Dateien' })} beim ersten Bedarf`,
    test: 'Probieren Sie es: eine Anfrage senden',
    trying: 'Versuch läuft …',
    fetchAttempt: 'fetch von dieser Seite',
    sent: 'die Anfrage ging hinaus',
    noPolicy: 'gescheitert, aber keine Policy hat sie gestoppt',
    enforced: (directive) => `der Browser hat ${directive} durchgesetzt`,
    kept: 'Was aufbewahrt wird …',
    files: {
      none: 'Dieser Browser bewahrt keine Dateien für diese Seite auf: Ohne den Server lässt sie sich nicht wieder öffnen.',
      preparing: 'Die Dateien der Seite werden gespeichert …',
      ready: 'Alle Dateien dieser Seite liegen in diesem Browser. Sie funktioniert ohne den Server.',
      update: 'Eine neue Version ist da. Sie gilt, sobald alle Tabs dieser Seite geschlossen sind, oder jetzt.',
      others: 'Eine neue Version ist da. Schließen Sie zuerst die anderen Tabs dieser Seite.',
    },
    updateWaits: 'Eine neue Version ist da. Sie wartet, bis dieser Lauf zu Ende ist.',
    useUpdate: 'Neue Version verwenden',
  },
};

export const about: AboutTexts = {
  motto: 'Das Modell schlägt vor, die Pforte entscheidet, die Sandbox handelt, das Protokoll beweist.',
  lead: 'Eine Ausfallpforte ist das doppelte Tor einer Festung: Ihre zwei Türen sind nie zugleich offen. Hier prüft die erste Tür, ob ein Vorschlag gültig ist, und die zweite, ob er erlaubt ist. Erst dann läuft ein Aufruf, in einer Sandbox ohne Ausweg, und jeder Vorschlag endet in einem Beleg.',
  tenGates: 'Zehn Schranken',
  documentation: 'Dokumentation',
  documentationIs: () =>
    html`<a href="docs/index.html" hreflang="en">Einführungen, Anleitungen, Referenz und Gründe</a> auf Englisch, mit der Seite in diesem Browser aufbewahrt.`,
  selftest: 'Selbsttest',
  selftestIs: () => html`<a href="selftest.html">Was dieses Gerät kann</a>, probiert auf einer eigenen Seite`,
  thisPage: 'Diese Seite',
  version: 'Version',
  dialects: 'Dialekte',
  specifications: 'Spezifikationen',
  specificationsAre: () =>
    html`<a href="docs/conformance.html" hreflang="en">Drei, Klausel für Klausel</a>, mit den Tests zu jeder`,
  kernel: 'Kernel',
  policy: 'Policy',
  grants: (grants, modes) =>
    `${plural(grants, { one: '# Freigabe', other: '# Freigaben' })}: ${modes.allow}-mal erlaubt, ${modes.ask}-mal mit Rückfrage${modes.deny === 0 ? '' : `, ${modes.deny}-mal verweigert`}. Alles andere ist verweigert.`,
  storage: 'Speicher',
  licence: 'Lizenz',
  keep: 'Was auf diesem Gerät liegt, und wie Sie es löschen …',
  codes: 'Jeder Code, den eine Ablehnung haben kann',
  stores: {
    indexeddb: 'dieser Browser (IndexedDB)',
    directory: 'ein Verzeichnis',
    memory: 'nur im Arbeitsspeicher',
  },
  codesLabel: 'Codes',
  code: 'Code',
  class: 'Klasse',
  remedy: 'was zu tun ist',
  classes: {
    invalid_json: 'kein gültiges JSON',
    malformed_structure: 'falscher Aufbau',
    protocol_ambiguity: 'mehrdeutige Form',
    unknown_capability: 'unbekannte Fähigkeit',
    invalid_arguments: 'ungültige Argumente',
    authorization: 'nicht erlaubt',
    budget: 'über dem Budget',
    resolution: 'Inhalt nicht auffindbar',
    execution: 'Ausführung gescheitert',
    output: 'unbrauchbares Ergebnis',
    storage: 'Speicher und Protokoll',
    run: 'Zustand des Laufs',
    definition: 'falsche Definition',
  },
};

export const help: HelpTexts = {
  title: 'Tasten',
  close: 'Schließen',
  escape: 'Schließt, was offen ist; beendet nie einen Lauf',
  send: 'Ihren Vorschlag senden',
  edge: 'Den Rand einer Spalte verschieben, solange er den Fokus hat',
  letters: 'Einzelne Buchstaben wirken',
  noKey: 'Das Genehmigen hat mit Absicht keine eigene Taste.',
  documentation: 'Dokumentation (englisch)',
  beTheModel: 'Seien Sie das Modell',
  walkthrough: 'Was die Seite zeigt',
};

export const guide: GuideTexts = {
  title: 'Ihre erste Minute',
  progress: (step, steps) => `${step} von ${steps}`,
  texts: {
    step: () =>
      html`Drücken Sie oben in der Leiste <strong>Schritt</strong>. Die erste Anfrage des Modells geht durch die zehn Schranken.`,
    receipt: () =>
      html`Jeder Schritt endet in einem Beleg, der sagt, was jede Schranke entschieden hat. Öffnen Sie den Reiter <strong>Beleg</strong> des Eintrags.`,
    record: () =>
      html`Wählen Sie den neuesten <strong>Beleg</strong> im Protokoll. Er sagt, was jede Schranke entschieden hat.`,
    question: () =>
      html`Drücken Sie oben in der Leiste <strong>Laufen lassen</strong>. Das Modell macht weiter, bis ein Aufruf die Genehmigung eines Menschen braucht.`,
    wait: () => html`Das Modell ist gefragt. Sein Vorschlag geht durch die zehn Schranken, sobald er hier ist.`,
    answer: () =>
      html`Der Lauf wartet auf Sie. Lesen Sie, was der Aufruf täte, und <strong>verweigern</strong> oder <strong>genehmigen</strong> Sie ihn dann.`,
    script: () =>
      html`Wählen Sie <strong>Skript</strong> unter <em>Wer schlägt vor</em>: Sein Modell macht weiter, bis ein Aufruf einen Menschen braucht.`,
    model: () => html`Seien Sie jetzt das Modell: Wählen Sie <strong>Sie</strong> unter <em>Wer schlägt vor</em>.`,
    draft: () =>
      html`Schreiben Sie einen beliebigen Text als Vorschlag, zum Beispiel <q>hallo</q>, und senden Sie ihn. Eine Schranke hält ihn auf, und der Beleg sagt, warum.`,
    send: () => html`Drücken Sie <strong>Senden</strong>: Ihr Vorschlag geht durch die zehn Schranken.`,
    over: () =>
      html`Dieser Lauf ist zu Ende. Drücken Sie oben in der Leiste <strong>Neuer Lauf</strong>, und machen Sie dort weiter.`,
  },
  end: 'Sie haben einen Lauf von beiden Seiten gesehen: als der Mensch, der entscheidet, und als das Modell. Die Lektionen führen von hier weiter.',
  where: 'Zeigen',
  next: 'Weiter',
  skip: 'Überspringen',
  finish: 'Fertig',
  learn: 'Zu den Lektionen',
};
