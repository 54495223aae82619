import { html } from 'lit';
import type { AboutTexts } from '../en/about.ts';
import { plural } from '../intl.ts';

export const about: AboutTexts = {
  motto: 'Das Modell schlägt vor, die Pforte entscheidet, die Sandbox handelt, das Protokoll beweist.',
  lead: 'Eine Ausfallpforte ist das doppelte Tor einer Festung: Ihre zwei Türen sind nie zugleich offen. Hier prüft die erste Tür, ob ein Vorschlag gültig ist, und die zweite, ob er erlaubt ist. Erst dann läuft ein Aufruf, in einer Sandbox ohne Ausweg, und jeder Vorschlag endet in einem Beleg.',
  tenGates: 'Zehn Schranken',
  documentation: 'Dokumentation',
  documentationIs: () =>
    html`<a href="docs/index.html" hreflang="en">Einführungen, Anleitungen, Referenz und Gründe</a> auf Englisch, mit der Seite in diesem Browser aufbewahrt.`,
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
