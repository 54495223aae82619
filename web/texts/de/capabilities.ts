import { html } from 'lit';
import { byteCount, elapsed } from '../amounts.ts';
import type { CapabilityTexts } from '../en/capabilities.ts';
import type { WorkshopTexts } from '../en/workshop.ts';
import { dateSecond, dateTime, list, number, plural } from '../intl.ts';

export const capabilities: CapabilityTexts = {
  parts: { catalogue: 'Katalog', allowed: 'Erlaubt', workshop: 'Werkstatt', breakout: 'Ausbruch' },
  partsLabel: 'Teile',

  catalogue: {
    asking: 'Der Kernel wird gefragt …',
    none: 'Es ist keine Fähigkeit registriert. Jeder Aufruf wird abgelehnt.',
    label: 'Fähigkeiten',
    filter: 'Nach Name oder Beschreibung filtern',
    noneFits: 'Keine Fähigkeit passt zum Filter.',
    groups: {
      own: 'Ihre',
      tools: 'Werkzeuge des Programms',
      home: 'Der Bäckerei',
      content: 'Operationen einer Nachricht',
    },
    disabled: 'abgeschaltet',
    noGrant: 'keine Freigabe',
    alike: (names) =>
      `Ihr Name liest sich wie ${list(names)}. Es sind verschiedene Fähigkeiten, jede mit eigenen Freigaben.`,
    propose: 'In einem Lauf vorschlagen',
    copy: 'Kopie in der Werkstatt öffnen',
    disable: 'Abschalten',
    enable: 'Einschalten',
    remove: 'Löschen …',
    replaced: (version, grants) =>
      html`Sie ersetzt Version <span class="mono">${version}</span> mit ${plural(grants, { one: '# Freigabe', other: '# Freigaben' })}.`,
    bringBack: 'Zurückholen',
    removeNow: 'Mit ihren Freigaben löschen',
    effect: 'Wirkung',
    enabled: 'Eingeschaltet',
    isEnabled: 'ja, für jeden Lauf, der von jetzt an beginnt',
    isDisabled: 'nein: Ein Lauf, der jetzt beginnt, lehnt sie ab',
    hash: 'Hash',
    hashOverSource:
      'über die ganze Definition, Quelltext und Schemas: Eine Freigabe für einen Hash gilt für keinen anderen',
    hashOverOrigin:
      'über die ganze Definition, Ursprung und Schemas: Eine Freigabe für einen Hash gilt für keinen anderen',
    powers: (names) => `Befugnisse: ${names.join(', ')}`,
    arguments: 'Argumente',
    argumentsSchema: 'Schema der Argumente',
    result: 'Ergebnis',
    resultSchema: 'Schema des Ergebnisses',
    code: 'Code',
    codeOfProgram: 'Das Programm führt sie aus, außerhalb der Sandbox',
    origin: 'Ursprung',
    program: 'das Programm selbst',
    originIs: 'der Ort, an den die Argumente gehen',
    lookalike: 'Einige Buchstaben hier sind vielleicht nicht, wonach sie aussehen.',
    source: 'Quelltext',
    sourceIs: () => html`Quelltext <span class="soft">· läuft in der Sandbox, nie in dieser Seite</span>`,
  },

  allowed: {
    title: 'Was habe ich erlaubt?',
    what: 'Alles, was jetzt erlaubt ist, und warum. Was Sie zurücknehmen, wird sofort abgelehnt, auch in laufenden Läufen.',
    reading: 'Die Entscheidungen dieses Geräts werden gelesen …',
    failed: 'Die Liste konnte nicht gelesen werden: ',
    retry: 'Noch einmal versuchen',
    none: 'Nichts ist erlaubt. Jeder Aufruf wird verweigert.',
    noUses: 'Noch kein Lauf hat etwas entschieden, also gibt es nichts zu zählen.',
    since: (ms, isCut) =>
      `Gezählt wird seit ${dateTime(ms)}${isCut ? ', über die neuesten 100.000 Entscheidungen' : ''}.`,
    unusedOf: (rows) =>
      plural(rows, {
        one: '# Erlaubnis wurde 30 Tage lang nicht gebraucht.',
        other: '# Erlaubnisse wurden 30 Tage lang nicht gebraucht.',
      }),
    unused: '30 Tage nicht gebraucht',
    label: 'Erlaubnisse',
    by: {
      program: 'Von dieser Seite gegeben, oder von Ihnen auf ihr',
      configuration: 'Eine Regel der Konfiguration',
      always: 'Sie haben „Immer“ gesagt',
      answer: 'Ihre Antwort, bis ihr Lauf endet',
      watch: 'Eine Beobachtung, wo keine andere Freigabe gilt',
    },
    question: (run, step) => (step === undefined ? `Lauf ${run}` : `die Frage in Schritt ${step} von Lauf ${run}`),
    never: 'Nie gebraucht.',
    used: (uses, runs, last) =>
      `${plural(uses, { one: 'Einmal', other: '#-mal' })} in ${plural(runs, { one: 'einem Lauf', other: '# Läufen' })} gebraucht, zuletzt am ${dateTime(last)}.`,
    more: (names) => `und ${names} weitere`,
    details: 'Einzelheiten',
    runs: (runs) => plural(runs, { one: 'Der Lauf, der sie brauchte', other: 'Die # Läufe, die sie brauchten' }),
    openRun: (run) => `Lauf ${run} öffnen`,
    newest: (runs) => `die neuesten ${runs}`,
    takeBack: 'Zurücknehmen',
    takenBack: 'Zurückgenommen. Aufrufe werden von jetzt an abgelehnt.',
    giveAgain: (name) => `${name} wieder freigeben`,
    givenAgain: 'Wieder freigegeben. Läufe, die von jetzt an beginnen, haben die Freigabe.',
    changed: 'Die Fähigkeit hat inzwischen eine andere Definition, und die Freigabe galt für die frühere.',
    notDone: 'Nicht geschehen: ',
    sources: {
      title: 'Quellen, denen zurückgehaltene Werte gegeben wurden',
      what: 'Eine Quelle kann zurückgeben, was sie bekommen hat. In jedem Lauf haben ihre Ergebnisse mindestens diese Kennzeichen, bis Sie die Quelle freisprechen.',
      store: 'Ein Speicher: Jeder Aufruf, der ihn erreichen kann, wird zurückgehalten.',
      clear: 'Freisprechen …',
      clearNow: 'Endgültig freisprechen',
      cleared: 'Freigesprochen. Läufe wissen von jetzt an nichts von dem, was sie bekam; das Protokoll hält es fest.',
    },
  },

  grants: {
    title: () =>
      html`Freigaben <span class="soft">· für Läufe, die von jetzt an beginnen; ein Widerruf gilt sofort</span>`,
    none: (name) =>
      html`Keine. Jeder Aufruf von <span class="mono">${name}</span> wird verweigert, auch wenn er gültig ist.`,
    first: 'Freigeben',
    another: 'Weitere Freigabe',
    terms: {
      uses: {
        label: 'Aufrufe in einem Lauf, höchstens',
        words: (calls) => `${plural(calls, { one: '# Aufruf', other: '# Aufrufe' })} in einem Lauf`,
      },
      expires: { label: 'Bis', words: (ms) => `bis ${dateSecond(ms)}` },
      rate: {
        label: 'Aufrufe in einer Zeitspanne, höchstens',
        seconds: 'in so vielen Sekunden',
        half: 'Eine Rate braucht beide Zahlen, Aufrufe und Sekunden.',
        words: ({ calls, windowMs }) =>
          `${plural(calls, { one: '# Aufruf', other: '# Aufrufe' })} in ${elapsed(windowMs)}`,
      },
      where: {
        label: 'Nur wo die Argumente auch zu diesem JSON Schema passen',
        words: () => 'nur wo die Argumente passen',
      },
      signed: {
        label: 'Wessen Passkeys ein Ja unterschreiben müssen',
        none: 'Dieser Browser hat keinen Passkey. Legen Sie unten einen an.',
        of: 'Wie viele dieser Personen',
        more: 'Anderswo angelegte Passkeys: ihre Angaben als JSON-Liste',
        words: (names, of) => `unterschrieben von ${of} von ${names.join(', ')}`,
      },
      accepts: {
        label: 'Stellen der Argumente, die ungelesene Werte ohne Frage annehmen',
        words: (places) => `ungelesene Werte an ${places.join(', ')}`,
      },
      held: {
        label: 'Ergebnisse vor dem Modell zurückhalten',
        never: 'nein',
        choices: {
          true: 'immer',
          untrusted: 'wo sie nicht vertrauenswürdig sein können',
          private: 'wo sie privat sein können',
        },
        words: (held) =>
          ({
            true: 'Ergebnisse werden zurückgehalten',
            untrusted: 'Ergebnisse, die nicht vertrauenswürdig sein können, werden zurückgehalten',
            private: 'Ergebnisse, die privat sein können, werden zurückgehalten',
          })[held],
      },
      release: {
        label: 'Bits kleiner Ergebnisse, die das Modell erfahren darf, in allen Läufen',
        none: 'keine',
        drops: 'Wer den Wert geschrieben hat, darf unter diesen Antworten wählen',
        words: (bits, drops) =>
          `sagt dem Modell bis zu ${plural(bits, { one: '# Bit', other: '# Bits' })} kleiner Ergebnisse${drops ? '; wer den Wert geschrieben hat, darf unter diesen Antworten wählen' : ''}`,
      },
    },
    watched: 'Teil einer Beobachtung, wo keine andere Freigabe gilt',
    exactly: 'nur für die gezeigten Argumente',
    answered: (run) => `Ihre Antwort in Lauf ${run.slice(0, 8)}, bis er endet`,
    gone: 'Die Freigabe ist widerrufen.',
    revoke: 'Widerrufen',
    whereSchema: 'Schema, zu dem die Argumente passen müssen',
    when: 'Wenn ein Vorschlag sie nennt',
    noLimit: 'ohne Grenze',
    grant: 'Freigeben',
    modes: {
      ask: 'Mich jedes Mal fragen',
      allow: 'Erlauben',
      deny: 'Verweigern, auch wenn eine andere Freigabe sie erlaubt',
    },
    again: 'Erneut freigeben',
    givenAgain: 'Erneut freigegeben.',
    addedAndGranted: 'Hinzugefügt und freigegeben. Ein Lauf, der von jetzt an beginnt, fragt Sie vor jedem Aufruf.',
    given: 'Freigegeben. Läufe, die von jetzt an beginnen, haben die Freigabe.',
    notGiven: 'Nicht freigegeben: ',
    notSchema: 'Ein Schema ist ein Objekt, etwa { "properties": … }.',
    notSigners: 'Angaben von Passkeys sind eine Liste, etwa [{ "name": "Ada", "key": "…", "origin": "…" }].',
    keys: {
      title: 'Passkeys dieses Browsers',
      what: 'Ein Passkey unterschreibt ein Ja. Für sich erlaubt er nichts: Eine Erlaubnis nennt, wessen Ja zählt.',
      name: 'Name der Person',
      make: 'Passkey anlegen …',
      making: 'Ihr Gerät legt den Passkey an.',
      made: (name) => `Der Passkey von ${name} ist angelegt. Nennen Sie ihn in einer Erlaubnis.`,
      copy: 'Angaben kopieren',
      copied: 'Kopiert. Mit den Angaben nennt eine Policy an anderer Stelle den Passkey.',
      remove: 'Entfernen',
      removeNow: 'Entfernen: Hier unterschreibt dann niemand mehr damit',
      removed: (name) =>
        `Entfernt. Diese Seite kann damit nicht mehr unterschreiben; ${name} löscht den Passkey in den Einstellungen des Geräts.`,
      of: (name) => `Passkey von ${name}`,
    },
    notPlaces: 'Stellen sind ein Objekt, etwa { "/text": ["private"] }.',
  },
};

export const workshop: WorkshopTexts = {
  draft: 'Entwurf',
  problemsFirst: 'Der Entwurf hat Fehler. Beheben Sie diese zuerst.',

  bar: {
    startFrom: 'Beginnen mit',
    startFromOption: 'Beginnen mit …',
    greeting: 'Eine neue Begrüßung',
    revert: 'Zurücksetzen',
    bringBack: (name) => html`${name} zurückholen`,
    share: 'Teilen',
    save: 'Speichern',
    run: 'Starten',
    add: 'Hinzufügen und freigeben',
    rename: (version) => html`Version ${version} nennen`,
    noHash: 'Noch kein Hash: Berichtigen Sie zuerst den Entwurf.',
    hash: (hash, before) =>
      html`Hash ${hash}${before === undefined ? '' : html`, zuvor ${before}`}, über die ganze Definition: Eine Freigabe für diesen Hash gilt für keine andere Definition`,
    problems: (problems) => plural(problems, { one: 'ein Fehler', other: '# Fehler' }),
    loaded: 'geladen',
    notLoaded: 'noch nicht geladen',
    notRead: 'nicht gelesen',
    saveProblems: 'Beheben Sie zuerst die Fehler: Eine Datei enthält eine ganze Definition.',
  },

  fields: {
    name: 'Name',
    version: 'Version',
    description: 'Was sie tut, für das Modell',
    effect: 'Wirkung',
    effects: {
      pure: 'rechnet nur',
      read: 'liest und ändert nichts',
      write: 'ändert Daten',
      egress: 'sendet Daten nach außen',
    },
    problems: 'Fehler',
    source: 'Quelltext',
    sourceIs: 'Ein ES-Modul; es läuft in der Sandbox, nie in dieser Seite.',
    args: 'Argumente',
    argsAre: 'JSON Schema dessen, was sie annimmt.',
    result: 'Ergebnis',
    resultIs: 'JSON Schema dessen, was sie liefert; leer für beliebiges JSON.',
    place: (field, line, column) => `${field}, Zeile ${line}, Spalte ${column}`,
    noObject: 'Ein Schema ist ein Objekt. Schreiben Sie { "type": … }.',
    powers: 'Befugnisse',
    noPowers: 'keine: Sie sieht nur ihre Argumente',
    limits: 'Grenzen',
    defaults: 'die Vorgaben',
    ownLimits: (limits) => plural(limits, { one: '# eigene', other: '# eigene' }),
    limitNames: {
      fuel: 'Fuel, in Operationen',
      memoryBytes: 'Speicher, in Byte',
      stackBytes: 'Stack, in Byte',
      deadlineMs: 'Frist, in ms',
      jobs: 'Promise-Jobs',
      powerCalls: 'Aufrufe von Befugnissen',
      bytesIn: 'Bytes hinein',
      bytesOut: 'Bytes heraus',
      consoleBytes: 'Konsole, in Byte',
    },
  },

  tryout: {
    title: 'Ausprobieren',
    modes: { args: 'Argumente', script: 'Skript' },
    modesLabel: 'Ausprobieren mit',
    stop: 'Stoppen',
    running: 'Läuft in der Sandbox …',
    try: 'Probieren',
    where: 'in einem eigenen Labor, durch alle Schranken',
    args: 'Argumente zum Ausprobieren',
    proposals: 'Vorschläge zum Ausprobieren',
    scriptIs: 'Ganze Vorschläge, Byte für Byte; zwischen zweien steht eine Zeile aus drei Strichen.',
    answered: 'Sie hat geantwortet.',
    result: 'Ergebnis',
    answer: 'Antwort',
    characters: (characters) => charactersText(characters),
    gates: 'Schranken dieses Aufrufs',
    bytes: 'Der Vorschlag und die Antwort an das Modell',
    proposal: 'Vorschlag',
    reply: 'Antwort an das Modell',
    notTried: 'Nicht ausprobiert: Der Entwurf hat Fehler. Sie stehen beim Quelltext.',
    advice: {
      capability_threw: 'Berichtigen Sie den Quelltext, oder probieren Sie andere Argumente.',
      result_schema: 'Berichtigen Sie den Quelltext oder das Schema des Ergebnisses.',
      result_not_json: 'Der Quelltext muss JSON zurückgeben: keine Funktion, kein undefined, keinen Kreis.',
      arguments_schema: 'Probieren Sie andere Argumente, oder ändern Sie deren Schema.',
      fuel_exhausted: 'Der Quelltext muss in einem Aufruf weniger tun, oder die Grenze muss höher sein.',
      hang_killed: 'Suchen Sie eine Schleife, die nicht endet.',
      exceeded: 'Der Quelltext muss in einem Aufruf weniger brauchen, oder die Grenze muss höher sein.',
    },
    recorded: 'Festgehalten. Es wurde nichts ausgeführt.',
    stopped: (code, step, why) =>
      html`<span class="mono">${code}</span> ${step === undefined ? 'am Ende' : `bei ${step}`}. ${why}`,
  },

  share: {
    title: 'Diese Fähigkeit teilen',
    problem: 'Sie hat einen Fehler, der zuerst behoben werden muss.',
    copy: 'Link kopieren',
    close: 'Schließen',
    copied: 'Kopiert.',
    link: 'Der Link',
    fits: {
      chat: (characters) => `${charactersText(characters)}: passt in eine Chatnachricht.`,
      most: (characters) => `${charactersText(characters)}: passt fast überall.`,
      tooLong: (characters) =>
        `${charactersText(characters)}: für die meisten Orte zu lang. Speichern Sie die Fähigkeit als Datei.`,
    },
    what: 'Die Fähigkeit und ihr Skript stehen im Teil nach dem #, den Browser nie an einen Server senden. Er bleibt im Verlauf der Browser, die ihn öffnen. Schlüssel, Freigaben oder Läufe enthält er nicht, und wer ihn liest, sieht alles davon, bevor Code laufen kann.',
  },

  review: {
    reading: 'Der Link wird gelesen …',
    title: 'Ein geteilter Link',
    leave: 'Ohne ihn weitermachen',
    shared: (name) => html`Mit Ihnen geteilt: <span class="mono">${name}</span>`,
    nothingRun:
      'Kein Code dieses Links wurde geladen oder ausgeführt. Öffnen Sie ihn als Entwurf, so lädt eine Sandbox den Quelltext, um ihn zu prüfen. Er läuft erst, wenn Sie „Probieren“ drücken.',
    load: 'Als Entwurf laden',
    discard: 'Verwerfen',
    size: (characters, bytes) => `${charactersText(characters)} im Link, entpackt ${byteCount(bytes)}.`,
    description: 'Was sie nach eigener Angabe tut',
    source: (bytes) => html`Quelltext <span class="soft">· ${byteCount(bytes)}, läuft nur in der Sandbox</span>`,
    sourceLabel: 'Quelltext',
    args: 'Argumente',
    argsLabel: 'Schema der Argumente',
    result: 'Ergebnis',
    resultLabel: 'Schema des Ergebnisses',
    script: (proposals) =>
      html`Skript <span class="soft">· ${plural(proposals, { one: '# Vorschlag', other: '# Vorschläge' })}</span>`,
    proposal: (nth) => `Vorschlag ${nth}`,
    version: 'Version',
    effect: 'Wirkung',
    powers: 'Befugnisse',
    limits: 'Grenzen',
    grants: 'Freigaben',
    noGrants: 'keine: Ein Link kann keine enthalten',
    sameName: 'Gleicher Name',
    sameNameIs:
      'Diese Seite hat eine Fähigkeit dieses Namens. Es sind zwei verschiedene Fähigkeiten: Eine Freigabe für die eine gilt nie für die andere.',
    hash: 'Hash',
  },

  refused: {
    sentence: (reason) =>
      `Dieser Link lässt sich nicht öffnen, denn ${reason}. Es wurde nichts geladen und nichts ausgeführt.`,
    content: (why) => `sein Inhalt wird abgelehnt. ${why}`,
    capability: (why) => `seine Fähigkeit wird abgelehnt. ${why}`,
    schema: (why) => `eines seiner Schemas wird abgelehnt. ${why}`,
    noObject: 'sein Inhalt ist kein Objekt',
    unknown: (name) => `er enthält etwas Unbekanntes: ${name}`,
    noCapability: 'er enthält keine Fähigkeit',
    noScript: 'sein Skript ist keine Liste von Texten',
    longScript: (proposals, max) => `sein Skript hat ${number(proposals)} Vorschläge, die Grenze ist ${number(max)}`,
  },
};

function charactersText(characters: number): string {
  return plural(characters, { other: '# Zeichen' });
}
