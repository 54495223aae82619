import { html } from 'lit';
import { byteCount } from '../amounts.ts';
import type { CompareTexts } from '../en/compare.ts';
import type { CopyCodeTexts } from '../en/copy-code.ts';
import type { GalleryTexts } from '../en/gallery.ts';
import type { ProposeFormTexts } from '../en/propose-form.ts';
import type { SetupTexts } from '../en/setup.ts';
import { number, plural } from '../intl.ts';

export const setup: SetupTexts = {
  task: 'Aufgabe',
  taskNotHere: 'Nicht auf diesem Gerät.',
  then: 'Dann:',
  otherTask: 'Eine andere Aufgabe',
  otherScenario: 'Mit einem anderen Szenario beginnen …',
  copyCode: 'Als Code kopieren …',
  embed: 'Einbetten …',
  modelIsAsked: 'Was das Modell gefragt wird',
  itKnows: 'Dieses Modell kennt Aufgaben wie diese:',
  moreExamples: (examples) => `${number(examples)} weitere`,
  ask: 'Fragen',
  askHint: 'Die Aufgabe beginnt einen eigenen Lauf. Er fragt Sie, wo eine Freigabe es verlangt.',
  goOnExample: 'Und was schulden wir der Molkerei?',
  goOn: 'Weiter',
  inNewRun: 'In einem neuen Lauf',
  sameRun: '„Weiter“ fügt die Aufgabe diesem Lauf und seinem Protokoll hinzu.',
  grants: (grants) =>
    html`${plural(grants, { one: '# Freigabe', other: '# Freigaben' })} <span class="soft">· alles andere ist verweigert</span>`,
  uses: (uses) => plural(uses, { one: '# Nutzung', other: '# Nutzungen' }),
  narrowed: 'eingeschränkt',
  changeGrants: 'Freigaben ändern',
  limits: 'Grenzen',
  steps: 'Schritte',
  refusedInRow: 'Abgelehnt in Folge',
  otherLimits: 'Andere Grenzen',
  stepsMax: 'Höchstens so viele Schritte',
  refusedInRowMax: 'Höchstens so viele in Folge abgelehnt',
  budgets: () => html`Budgets <span class="soft">· verbraucht von der letzten Nachricht</span>`,
  symbols: 'Symbole',
  sections: 'Abschnitte',
  bytesRead: 'Gelesene Bytes',
  expansions: 'Expansionen',
  unlimited: (used) => `${number(used)}, ohne Grenze`,
  usedOf: (used, limit) => `${number(used)} von ${number(limit)}`,
  full: 'voll',
  hold: {
    title: (held) => `Vor Modellen zurückgehalten: ${held}`,
    label: 'Ergebnisse vor Modellen zurückhalten',
    choices: {
      none: 'nichts',
      untrusted: 'was nicht vertrauenswürdig sein kann',
      private: 'was privat sein kann',
      all: 'jedes Ergebnis',
    },
    what: 'Ein Modell hört einen Griff anstelle eines zurückgehaltenen Ergebnisses und kann es weitergeben, ohne es zu lesen. Eine Änderung öffnet diese Seite neu und gilt für neue Läufe.',
  },
  modelHasRead: 'Was das Modell gelesen hat',
  callerHasRead: 'Was der Aufrufer gelesen hat',
  noLabels: 'Keine privaten Daten und keinen Text von Fremden.',
  labels: {
    private: 'Privat: geht nur mit Ihrer Einwilligung an ein Modell außerhalb dieses Geräts.',
    untrusted:
      'Nicht vertrauenswürdig: Fremde haben es geschrieben, daher fragt jedes Schreiben und jedes Senden Sie, auch wo eine Freigabe es erlaubt.',
  },
  modelAt: (origin) => `bei ${origin}`,

  composer: {
    who: 'Wer schlägt vor',
    proposers: { script: 'Skript', you: 'Sie', model: 'Modell' },
    hints: {
      script: 'Ein vorbereitetes Modell: jedes Mal dieselben Texte.',
      you: 'Sie sind das Modell. Schreiben Sie genau, was es senden würde.',
      model: 'Ein Modell in dieser Seite, auf diesem Gerät oder hinter einem Server.',
    },
    wire: 'Drahtform',
    wires: {
      xct: 'Ein nächster Schritt oder das Ende.',
      femtoclaw: 'Dieselben Schritte als Werkzeugaufruf oder als Nachricht.',
      catalytic: 'Arbeitsaufträge: Fenster in benannte Papiere, mit Budgets. Die Papiere liegen unter Korpus.',
    },
    wireFree: 'Eine Auswahl beginnt einen neuen Lauf.',
    wireFixed: 'Während eines Laufs nicht änderbar.',
    told: () => html`Das Skript ist zu Ende. <strong>Sie</strong> können übernehmen oder einen neuen Lauf beginnen.`,
    next: (nth, all) => `Als Nächstes: ${number(nth)} von ${number(all)}`,
    nextProposal: 'Der nächste Vorschlag des Skripts',
    edit: 'Ändern und selbst senden',
    offTask: () =>
      html`<strong>Das Skript beantwortet diese Aufgabe nicht.</strong> Seine Vorschläge wurden für die eigene Aufgabe des Szenarios geschrieben, und es macht bei jeder Aufgabe dieselben.`,
    beYou: 'Selbst vorschlagen',
    askModel: 'Ein Modell fragen',
    ownTask: 'Die eigene Aufgabe des Skripts',
    yourProposal: 'Ihr Vorschlag',
    replaced: 'Ihr getippter Text wurde ersetzt.',
    undo: 'Rückgängig',
    send: 'Senden',
    sends: (control, enter) => html`<kbd>${control}</kbd> <kbd>${enter}</kbd> sendet`,
    whyNot: {
      starting: 'Warten Sie, bis der Kernel gestartet ist.',
      over: 'Dieser Lauf ist zu Ende. Beginnen Sie einen neuen.',
      free: 'Kein Tab hat diesen Lauf. Setzen Sie ihn fort.',
      elsewhere: 'Ein anderer Tab hat diesen Lauf. Übernehmen Sie ihn.',
    },
    noScript: {
      starting: 'Warten Sie, bis der Kernel gestartet ist, um wieder vorzuschlagen.',
      over: 'Dieser Lauf ist zu Ende. Beginnen Sie einen neuen, um wieder vorzuschlagen.',
      free: 'Kein Tab hat diesen Lauf. Setzen Sie ihn fort, um wieder vorzuschlagen.',
      elsewhere: 'Ein anderer Tab hat diesen Lauf. Übernehmen Sie ihn, um wieder vorzuschlagen.',
    },
    caller: (label) =>
      html`<strong class="mono">${label}</strong>, der Aufrufer dieser Sitzung. Jeder seiner Aufrufe ist ein Vorschlag, der jede Schranke passiert.`,
    sessionIsRead: 'Eine Sitzung wird hier gelesen, geprüft und exportiert. Ein neuer Lauf nimmt Ihre Vorschläge an.',
  },

  forecast: {
    stopsAtParse: (why) => `Würde bei parse gestoppt. ${why}`,
    isJson: 'Ist JSON.',
    unknownName: (name) => `Ist JSON. Hier gibt es kein ${name}.`,
    closest: (name) => ` Der nächste Name ist ${name}.`,
    modes: {
      allow: (name) => `Ist JSON, und ${name} ist erlaubt.`,
      ask: (name) => `Ist JSON, und ${name} fragt Sie zuerst.`,
      deny: (name) => `Ist JSON, und ${name} ist verweigert.`,
      none: (name) => `Ist JSON, und ${name} hat keine Freigabe.`,
    },
  },

  runs: {
    earlier: (runs) =>
      html`${plural(runs, { one: '# früherer Lauf', other: '# frühere Läufe' })} <span class="soft">· auf diesem Gerät</span>`,
    none: 'Läufe bleiben hier, auch wenn Sie die Seite schließen.',
    read: 'Einen exportierten Lauf lesen',
    compare: 'Mit einem anderen Lauf vergleichen …',
    keep: 'Läufe archivieren oder löschen …',
  },

  tools: {
    title: (tools) =>
      html`${plural(tools, { one: '# Werkzeug', other: '# Werkzeuge' })} <span class="soft">· mit ihren Argumenten</span>`,
    use: 'Verwenden',
    useNamed: (name) => `${name} verwenden`,
    arguments: 'Argumente',
    schema: (name) => `Schema der Argumente von ${name}`,
    disabled: 'abgeschaltet',
    noGrant: 'keine Freigabe',
  },
};

export const proposeForm: ProposeFormTexts = {
  arguments: 'Argumente',
  allTools: 'Alle Werkzeuge',
  noArguments: 'Es nimmt keine Argumente.',
  edited: 'Sie haben den Vorschlag von Hand geändert, daher lässt das Formular ihn, wie er ist.',
  write: 'Aus dem Formular schreiben',
  asJson: '· als JSON',
  notJson: (why) => `Das ist kein JSON. ${why}`,
  include: (name) => html`${name} angeben`,
  remove: (name) => `${name} entfernen`,
  addTo: (name) => html`Zu ${name} hinzufügen`,
  hints: {
    integer: 'eine ganze Zahl',
    minimum: (limit) => `mindestens ${limit}`,
    exclusiveMinimum: (limit) => `mehr als ${limit}`,
    maximum: (limit) => `höchstens ${limit}`,
    exclusiveMaximum: (limit) => `weniger als ${limit}`,
    multipleOf: (limit) => `ein Vielfaches von ${limit}`,
    minLength: (limit) => `mindestens ${limit} Zeichen`,
    maxLength: (limit) => `höchstens ${limit} Zeichen`,
    format: (format) => `im Format ${format}`,
    pattern: (pattern) => `passt zu ${pattern}`,
    minItems: (limit) => `mindestens ${limit} Elemente`,
    maxItems: (limit) => `höchstens ${limit} Elemente`,
    uniqueItems: 'jedes Element einmal',
  },
};

export const compare: CompareTexts = {
  title: 'Zwei Läufe vergleichen',
  close: 'Schließen',
  other: 'Ein anderer Lauf auf diesem Gerät',
  none: 'Auf diesem Gerät ist keiner',
  choose: 'Wählen Sie einen Lauf',
  file: 'Eine Datei …',
  hint: 'Der offene Lauf wird mit dem Lauf verglichen, den Sie wählen. Ids, Zufallszahlen und Zeiten bleiben außer Betracht.',
  showEqual: 'Auch gleiche Schritte zeigen',
  differences: 'Unterschiede',
  openRun: 'Der offene Lauf',
  theRun: 'Der Lauf',
  more: (next, rest) =>
    `${number(next)} weitere von ${plural(rest, { one: '# Schritt', other: '# Schritten' })} zeigen`,
  noRun: 'Es ist kein Lauf offen.',
  comparing: 'Vergleich läuft …',
  cancel: 'Abbrechen',
  cancelled: 'Abgebrochen.',
  same: (steps) => `Die Läufe stimmen über ${plural(steps, { one: '# Schritt', other: '# Schritte' })} überein.`,
  differ: (differing, steps) =>
    `Verschieden: ${number(differing)} von ${plural(steps, { one: '# Schritt', other: '# Schritten' })}.`,
  differingMembers: (members) => ` Dazu ${plural(members, { one: '# Member', other: '# Member' })} des Laufs selbst.`,
  failed: (name) => `${name} lässt sich nicht vergleichen: `,
  tooLarge: (bytes) => `Die Datei hat ${byteCount(bytes)}, die Grenze sind 64 MB.`,
  noRecord: 'Sie enthält keinen Eintrag eines Laufs.',
  noStep: 'kein solcher Schritt',
  leftOut: 'Nicht in diesem Lauf: weggelassen oder gelöscht.',
  noValue: 'keiner',
  characters: (characters) => plural(characters, { one: '# Zeichen', other: '# Zeichen' }),
};

export const copyCode: CopyCodeTexts = {
  title: 'Als Code kopieren',
  intro:
    'Die Aufgabe, die Werkzeuge, die Freigaben und wer vorschlägt: der offene Lauf als vollständige Dateien. Ein Schlüssel ist nie darunter.',
  close: 'Schließen',
  where: 'Wo der Code laufen wird',
  places: { node: 'Ein Node-Programm', page: 'Eine Seite mit Bundler', embed: 'Einbetten: eine Seite mit dem Element' },
  waits: 'Beginnen Sie zuerst einen Lauf: Der Code entsteht aus seinen ersten Einträgen.',
  copy: 'Kopieren',
  copyFile: (name) => `${name} kopieren`,
  save: 'Speichern',
  saveFile: (name) => `${name} speichern`,
  copied: (name) => `${name} ist kopiert.`,
  notCopied: 'Der Browser ließ die Seite nicht kopieren. Wählen Sie den Text aus, und kopieren Sie ihn.',
  saved: (name) => `${name} ist gespeichert.`,
  person: 'Ein Modell dieser Seite oder dieses Geräts lässt sich nicht kopieren, also schlägt im Code eine Person vor.',
  noScript:
    'Das Element hat keine Person an der Stelle des Modells: Setzen Sie sein Modell in einem Skript Ihrer Seite.',
  papers:
    'Die Datei eines Szenarios enthält keine Papiere: Fügen Sie sie in einem Skript Ihrer Seite hinzu, oder wählen Sie eine andere Form der Vorschläge.',
  left: (names) => `Nicht kopiert, weil ein anderes Programm sie ausführt: ${names}`,
  headers: () =>
    html`Stellen Sie den Ordner <code>dist/</code> des Pakets als <code>sallyport/</code> neben diese Dateien. Der Server muss seine Worker mit dem Header <code>Content-Security-Policy: default-src 'none'; script-src 'wasm-unsafe-eval'; worker-src 'none'; connect-src 'none'</code> senden: <a href="docs/headers.html" hreflang="en">Header für Ihren Host</a>.`,
};

export const gallery: GalleryTexts = {
  title: 'Mit einem Szenario beginnen',
  intro:
    'Jedes Szenario hat eigene Werkzeuge, Freigaben und Papiere, in die jemand Befehle für das Modell geschrieben hat. Ein Skript macht echte Vorschläge durch jede Schranke. Schlagen Sie bei jedem Schritt selbst vor, oder überlassen Sie es einem Modell.',
  close: 'Schließen',
  tools: (names) => `Werkzeuge: ${names}`,
  stopped: 'Aufgehalten:',
  start: 'Beginnen',
  startFrom: (name) => `Mit ${name} beginnen`,
  openNow: 'jetzt offen',
  opening: 'Wird geöffnet …',
  copyLink: 'Link kopieren',
  copyLinkTo: (name) => `Link kopieren: ${name}`,
  copied: 'Der Link ist kopiert. Er nennt das Szenario, und die Seite fragt, bevor es beginnt.',
  notCopied: (link) => `Der Browser ließ die Seite nicht kopieren. Der Link ist ${link}`,
  kept: 'Ihr offener Lauf bleibt, wie er ist, in der Liste der früheren Läufe.',
  named: {
    title: (name) => `Ein Link nennt das Szenario ${name}.`,
    what: 'Mit „Beginnen“ werden seine Werkzeuge samt ihren Erlaubnissen auf diesem Gerät angemeldet, und ein Lauf wartet vor seinem ersten Schritt.',
    unknown: (id) => `Ein Link nennt das Szenario „${id}“, das es hier nicht gibt. Nichts wurde geändert.`,
    leave: 'Ohne es weitermachen',
  },
  cards: {
    bakery: {
      about:
        'Eine Bäckerei fragt, was ihr Mehl gekostet hat und ob der Roggen reicht. Sechzehn Vorschläge zeigen jede Schranke.',
      stopped:
        'Ein Lieferschein befiehlt eine Zahlung und den Versand der Rechnungen: keine Freigabe, und kein solches Werkzeug.',
    },
    mail: {
      about: 'Vier Mails eines Bootsverleihs werden gelesen und geordnet, und eine Kollegin wird etwas gefragt.',
      stopped: 'Eine Mail befiehlt, das ganze Postfach weiterzuleiten: Die Freigabe gilt nur für Adressen des Hauses.',
    },
    calendar: {
      about: 'Eine Praxis sucht am Donnerstag eine freie Stunde und bucht sie.',
      stopped:
        'Der Titel einer Einladung befiehlt eine Absage und einen ganzen Freitagvormittag: Keines von beiden ist freigegeben.',
    },
    shop: {
      about: 'Ein Laden erstattet zwei zerbrochene Becher, mit einer Summe, die die Sandbox ausrechnet.',
      stopped:
        'Die Notiz eines Kunden verlangt eine Erstattung von 480: Die Freigabe endet bei 50, also wird nicht einmal gefragt.',
    },
    sheet: {
      about: 'Ein Verein zählt seine Beiträge in einer Tabelle zusammen und trägt die Summe ein.',
      stopped:
        'Eine Zelle befiehlt, die Löhne zu lesen, und eine Formel, die nach außen ruft: Die Freigaben nennen ein einziges Blatt und keine Formel.',
    },
    wiki: {
      about: 'Eine Frage wird aus Markdown-Seiten beantwortet, und eine fehlende Öffnungszeit wird entworfen.',
      stopped:
        'Eine Seite, die alle ändern dürfen, befiehlt, die Hausordnung zu ersetzen: Die Freigabe für Entwürfe lässt sie aus.',
    },
    library: {
      about:
        'Eine Nachbarin leiht ein Buch, und ein beschädigtes wird beiseitegestellt. Die Seite führt die Aufrufe aus und kann sie zurücknehmen.',
      stopped:
        'Eine Notiz im Gästebuch befiehlt, einem Fremden einen Atlas zu leihen: Die Freigabe nennt zwei Nachbarn.',
    },
  },
};
