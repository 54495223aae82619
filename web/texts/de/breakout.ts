import { html } from 'lit';
import type { AttackTexts, BreakoutTexts } from '../en/breakout.ts';
import type { LabTexts } from '../en/lab.ts';
import { number, plural } from '../intl.ts';

export const breakout: BreakoutTexts = {
  title: 'Ausbruch',
  attacks: 'Angriffe',
  groups: { guest: 'Feindlicher Code, in der Sandbox', proposal: 'Feindliche Vorschläge, an den Schranken' },
  score: (left, tried) =>
    tried === 0
      ? html`Noch kein Versuch`
      : html`Aus der Sandbox gelangt: <strong class=${left === 0 ? '' : 'bad'}>${number(left)}</strong> von ${plural(tried, { one: '# Versuch', other: '# Versuchen' })}`,
  pause: (ms) => ` · diese Seite wartete nie länger als ${number(ms)} ms`,
  progress: (done, of) => `${number(done)} von ${number(of)} `,
  save: 'Protokoll speichern',
  runAll: (attempts) => `Alle ${number(attempts)} ausführen`,
  cancel: 'Abbrechen',
  faces: { underWay: 'läuft', notTried: 'nicht versucht', held: 'abgewehrt', unexpected: 'nicht wie erwartet' },
  try: 'Versuchen',
  tryAgain: 'Noch einmal versuchen',
  proposalBytes: 'Der Vorschlag, Byte für Byte',
  proposal: 'Vorschlag',
  guestSource: 'Der Quelltext des Gasts',
  source: 'Quelltext',
  reached: (names) => html`Erreicht wurde: ${names}.`,
  ranToEnd: 'Der Code lief bis zu seinem Ende und hat keinen verbotenen Namen erreicht.',
  gates: 'Schranken dieses Angriffs',
  stoppedBy: 'Gestoppt durch',
  notStopped: 'nicht gestoppt',
  where: 'Wo',
  nowhere: 'nirgends',
  next: 'Der nächste Aufruf',
  nextGood: (ms) => `ging durch, auf einem frischen Heap, ${number(Math.round(ms))} ms`,
  nextBad: (ms) => `ist gescheitert, ${number(Math.round(ms))} ms`,
  told: 'Was dem Modell gesagt wird',
  reply: 'Antwort an das Modell',
};

export const attacks: AttackTexts = {
  guests: {
    loop: {
      title: 'Endlosschleife',
      caption: 'Fuel zählt jeden Durchgang, in jedem Browser gleich. An der Grenze wird die Schleife beendet.',
    },
    swallow: {
      title: 'Den Stopp verschlucken',
      caption:
        'Fängt jede Exception und macht weiter. Der Stopp ist keine Exception, daher kann der Code ihn nicht fangen.',
    },
    native: {
      title: 'In nativem Code hängen',
      caption:
        'Eine Suche über 2⁵³ Stellen, in der Engine, wo kein Fuel gezählt wird. Ein Watchdog beendet den ganzen Worker; ein vorgewärmter Ersatz macht weiter.',
    },
    regex: {
      title: 'Ein gefräßiges Muster',
      caption: 'Vierzig Buchstaben beschäftigen diesen Ausdruck tausend Jahre lang. Auch Mustersuche kostet Fuel.',
    },
    memory: {
      title: 'Allen Speicher fressen',
      caption:
        'Der Heap ist ein WebAssembly-Speicher mit festem Höchstmaß. Dort endet der Aufruf, und sein Heap wird weggeworfen.',
    },
    stack: {
      title: 'Fallen ohne Boden',
      caption: 'Die Rekursion endet am eigenen Stack des Gasts, lange vor dem des Hosts.',
    },
    promises: {
      title: 'Ein Sturm von Promises',
      caption: 'Jeder Job ist zu kurz, als dass der Fuel-Zähler ihn sieht. Deshalb werden die Jobs gezählt.',
    },
    output: {
      title: 'Die Antwort fluten',
      caption: 'Gibt ein Megabyte statt eines Satzes zurück. Der Host misst das Ergebnis, bevor er es liest.',
    },
    console: { title: 'Die Konsole fluten', caption: 'Die Ausgabe hat eine eigene Grenze. Dort endet der Aufruf.' },
    globals: {
      title: 'Einen Ausweg suchen',
      caption:
        'Sucht nach dem Netz, der Seite, Workern, Speicher und geteiltem Arbeitsspeicher. Die Sandbox hat nichts davon.',
    },
    import: {
      title: 'Ein Modul von einem Server importieren',
      caption: 'Hinter import() steht kein Loader: nicht für das Netz, nicht für die eigene Bibliothek der Engine.',
    },
    constructor: {
      title: 'An den Konstruktoren hochklettern',
      caption:
        'Jede Funktion führt zu Function, und Function zum globalen Objekt. Das ist das Objekt der Sandbox selbst.',
    },
    pollute: {
      title: 'Jeden Prototyp vergiften',
      caption:
        'Überschreibt JSON, Promise und Object, um dem nächsten Aufruf zu schaden. Der nächste Aufruf beginnt mit einem frischen Heap.',
    },
    ticket: {
      title: 'Eine Befugnis fälschen',
      caption:
        'Benutzt Befugnisse, die er nie deklariert hat, und versucht, seine eigenen Aufrufe zu beantworten. Der Host übergibt Befugnisse beim Namen, und eingefroren.',
    },
    proxy: {
      title: 'Mit einer Falle antworten',
      caption:
        'Gibt einen Proxy zurück, der nie endet. Die Sandbox schreibt ihn auf Kosten des Gasts aus, mit dessen eigenem Fuel.',
    },
    thenable: {
      title: 'Ein Promise, das sich nie entscheidet',
      caption:
        'Gibt ein Thenable zurück, das sich endlos zu sich selbst auflöst. Jeder Durchgang ist ein Job, und Jobs werden gezählt.',
    },
    proto: {
      title: 'Ein Ergebnis, das Ihres verändert',
      caption:
        'Gibt ein Member namens __proto__ zurück, um einem Programm zu schaden, das Antworten zusammenführt. Das Schema nennt es nicht, daher wird die Antwort verworfen.',
    },
    deep: {
      title: 'Ein Brunnen aus Klammern',
      caption: 'Gibt eine halbe Million Verschachtelungen zurück. Dem Gast geht beim Parsen sein eigener Stack aus.',
    },
    clock: {
      title: 'Messen und raten',
      caption:
        'Sucht eine laufende Uhr und Zufallszahlen, die niemand festhält. In der Sandbox steht die Zeit still, und Zufallszahlen werden festgehalten.',
    },
  },
  proposals: {
    prose: {
      title: 'Ein Satz',
      caption: 'Behauptet, die Aktion sei geschehen. Prosa ist kein Vorschlag, und nur Belege beweisen eine Aktion.',
    },
    comment: {
      title: 'Ein Kommentar',
      caption: 'Setzt einen Kommentar vor das JSON. JSON hat keine Kommentare, daher lehnt der Parser ihn ab.',
    },
    sameKey: {
      title: 'Zweimal derselbe Schlüssel',
      caption: 'Die meisten Parser nehmen den letzten Wert, manche den ersten. Der Port lehnt beide ab.',
    },
    escapedKey: {
      title: 'Derselbe Schlüssel, anders geschrieben',
      caption:
        'Der zweite Schlüssel ist der erste mit einem maskierten Buchstaben. Der Port vergleicht die Namen erst nach dem Auflösen.',
    },
    halfCharacter: {
      title: 'Ein halbes Zeichen',
      caption: 'Ein halbes Surrogatpaar verändert sich, wenn ein Programm es kodiert. Der Port lehnt es ab.',
    },
    depth: {
      title: 'Ein sehr tiefer Wert',
      caption:
        'So tief verschachtelt, dass das Lesen den Stack sprengen könnte. Der Port begrenzt die Tiefe, bevor er weiterliest.',
    },
    number: {
      title: 'Eine Zahl, die sich ändert',
      caption: 'Gelesen würde eine andere Zahl mit 2 am Ende; der Aufruf wäre dann ein anderer als der genehmigte.',
    },
    twoAnswers: {
      title: 'Zwei Antworten auf einmal',
      caption:
        'Ein nächster Schritt und ein Ende im selben Vorschlag. Der Port wählt nicht zwischen ihnen und lehnt beide ab.',
    },
    dialect: {
      title: 'Ein anderer Dialekt',
      caption: 'Ein guter FemtoClaw-Aufruf, in einem Lauf, der XCT spricht. Der Dialekt wird gewählt, nie geraten.',
    },
    member: {
      title: 'Ein Member zu viel',
      caption: 'Bringt seine eigene Genehmigung mit. Unbekannte Member werden abgelehnt, nicht ignoriert.',
    },
    truthy: {
      title: 'Ein fast wahres Ende',
      caption: 'Das Member muss true sein. Der Text hat den falschen Typ, und der Port wandelt ihn nicht um.',
    },
    network: {
      title: 'Ein Weg ins Netz',
      caption: 'Die Fähigkeit gibt es nicht, also kann keine Freigabe sie erlauben. Auch der Kernel hat kein Netz.',
    },
    lookalike: {
      title: 'Ein Name, der richtig aussieht',
      caption: 'Das erste e ist kyrillisch. Namen werden nach Codeeinheiten verglichen, nicht nach ihrem Aussehen.',
    },
    inherited: {
      title: 'Ein geerbter Name',
      caption: 'Jedes JavaScript-Objekt erbt diesen Namen. Das Register hält nur registrierte Namen und erbt keine.',
    },
    prototype: {
      title: 'Ein vergifteter Prototyp',
      caption:
        'Hofft auf ein Programm, das es in ein Objekt einmischt. Das Schema nennt dieses Argument nicht, also wird es abgelehnt.',
    },
    order: {
      title: 'Ein Befehl ohne Vollmacht',
      caption: 'Der Aufruf ist gültig, aber keine Freigabe erlaubt ihn, daher wird er verweigert.',
    },
  },
};

export const lab: LabTexts = {
  runEnded: 'Der Lauf ist zu Ende. Beginnen Sie einen anderen.',
  time: 'Zeit, hier und jetzt',
  powerCalls: 'Aufrufe von Befugnissen',
  fuel: 'Fuel, überall gleich',
  console: 'Konsole',
  firstLines: (shown, all) => html` <span class="soft">· die ersten ${number(shown)} von ${number(all)} Zeilen</span>`,

  stopped: {
    deadline: 'Eine Frist hat ihn gestoppt, daher ist es jedes Mal eine andere Zeile.',
    where: 'In welcher Zeile?',
    looking: 'Der Aufruf wird in einer eigenen Sandbox wiederholt …',
    thrown: (line, column) => `Geworfen in Zeile ${line}, Spalte ${column} des Quelltexts.`,
    goThere: 'Im Quelltext zeigen',
    show: 'Das abgelehnte Ergebnis zeigen',
    refused: 'Das abgelehnte Ergebnis',
    notRepeated: 'Der wiederholte Aufruf hat nicht dasselbe Ergebnis ergeben.',
    unknown: 'Der wiederholte Aufruf hat seine Zeile nicht gezeigt.',
    about: (line, column) =>
      `Etwa Zeile ${line}, Spalte ${column} des Quelltexts. Der Aufruf wurde wiederholt und endete bei derselben Operation.`,
  },
};
