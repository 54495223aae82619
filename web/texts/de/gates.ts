import type { GateTexts } from '../en/gates.ts';

export const gates: GateTexts = {
  questions: {
    parse: 'Ist es JSON, in UTF-8, innerhalb der Grenzen?',
    structure: 'Ist es ein einzelnes Objekt ohne unbekannte Member?',
    form: 'Hat es genau eine der bekannten Formen?',
    capability: 'Gibt es die genannte Fähigkeit?',
    arguments: 'Passen die Argumente zu ihrem Schema?',
    verdict: 'Sind die Ergebnisse dieser Prüfungen festgehalten?',
    authorize: 'Erlaubt eine Freigabe diesen Aufruf?',
    approve: 'Muss eine Person zustimmen?',
    execute: 'Endet er in der Sandbox und innerhalb ihrer Grenzen?',
    receipt: 'Steht das Ergebnis im Protokoll?',
  },
  states: {
    passed: 'passiert',
    stopped: 'hier gestoppt',
    waiting: 'wartet auf eine Person',
    running: 'läuft',
    skipped: 'nicht nötig',
    never: 'nie erreicht',
    ahead: 'steht bevor',
  },
};
