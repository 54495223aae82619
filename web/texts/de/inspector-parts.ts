import { html } from 'lit';
import { byteCount } from '../amounts.ts';
import type { InspectorPartsTexts } from '../en/inspector-parts.ts';
import { number, plural } from '../intl.ts';

export const inspectorParts: InspectorPartsTexts = {
  compare: {
    label: 'Angeheftete Einträge',
    pinAnother: (seq) => `Eintrag ${seq} ist angeheftet. Heften Sie einen zweiten an, um beide zu vergleichen.`,
    differ: (left, right, members) =>
      `Eintrag ${left} und Eintrag ${right} unterscheiden sich in ${plural(members, { one: '# Member', other: '# Membern' })}`,
    same: (members) => plural(members, { one: '# Member ist gleich', other: '# Member sind gleich' }),
    inRecord: (seq) => `in Eintrag ${seq}`,
    none: 'fehlt',
  },

  context: {
    otherTab:
      'Der Kontext ist nur für Läufe bekannt, die in diesem Tab entstanden sind. Für diesen Lauf zeigt „Ergebnis“ jede Antwort.',
    none: 'Es wurde noch nach keinem Vorschlag gefragt.',
    messages: (messages, step) =>
      `${plural(messages, { one: '# Nachricht', other: '# Nachrichten' })} vor Schritt ${step}.`,
    newOnes: (messages) => `${number(messages)} neu seit dem Schritt davor.`,
    new: 'neu',
  },

  slices: {
    noStep: 'Hier hat kein Schritt geendet.',
    none: 'In diesem Schritt wurde kein Inhalt gegeben.',
    charged: (bytes, sections, expansions) =>
      `Angerechnet: ${byteCount(bytes)} aus ${plural(sections, { one: '# Abschnitt', other: '# Abschnitten' })}, ${plural(expansions, { one: '# Expansion', other: '# Expansionen' })}.`,
    hash: (hash) => html`SHA-256 ${hash}`,
    bytesAndHash: (bytes, hash) => html`${byteCount(bytes)}, SHA-256 ${hash}`,
    gave: (name) => `Inhalt von ${name}`,
    erased: 'Der Text ist nicht in diesem Lauf: weggelassen oder gelöscht. Sein Hash ist noch da.',
  },
};
