import { html } from 'lit';
import { elapsed } from '../amounts.ts';
import type { CapabilityTexts } from '../en/capabilities.ts';
import { dateSecond, list, plural } from '../intl.ts';

export const capabilities: CapabilityTexts = {
  parts: { catalogue: 'Katalog', workshop: 'Werkstatt', breakout: 'Ausbruch' },
  partsLabel: 'Teile',

  catalogue: {
    asking: 'Der Kernel wird gefragt …',
    none: 'Es ist keine Fähigkeit registriert. Jeder Aufruf wird abgelehnt.',
    label: 'Fähigkeiten',
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
    },
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
    given: 'Freigegeben. Läufe, die von jetzt an beginnen, haben die Freigabe.',
    notGiven: 'Nicht freigegeben: ',
    notSchema: 'Ein Schema ist ein Objekt, etwa { "properties": … }.',
  },
};
