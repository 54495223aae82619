import { html } from 'lit';
import type { TimelineTexts } from '../en/timeline.ts';
import type { WaterfallTexts } from '../en/waterfall.ts';
import { list, number, plural } from '../intl.ts';

export const timeline: TimelineTexts = {
  title: 'Protokoll',
  time: 'Zeit',
  records: (records) =>
    html`${number(records)}<span class="unit"> ${plural(records, { one: 'Eintrag', other: 'Einträge' })}</span>`,
  someRecords: (some, all) => `${number(some)} von ${number(all)}`,
  problems: (problems) =>
    html`${number(problems)} <span class="unit">${plural(problems, { one: 'Problem', other: 'Probleme' })}</span>`,
  previousProblem: 'Voriges Problem',
  nextProblem: 'Nächstes Problem',
  later: (duration) => `${duration} später`,
  pinned: 'angeheftet',
  step: (step, title, outcome) => `Schritt ${step}, ${title}, ${outcome}`,

  filter: {
    label: 'Einträge filtern',
    placeholder: 'Wörter, type: tool: status: proposed:',
    unknown: (terms, fields) => `Es gibt kein Feld ${terms.join(', ')}. Die Felder sind ${list(fields)}.`,
    suggested: 'Vorgeschlagene Filter',
    empty: () => html`Noch keine Einträge. <strong>Schritt</strong> fragt nach dem ersten Vorschlag.`,
    none: 'Kein Eintrag passt zum Filter, weder in seiner Zeile noch in seinem Inhalt.',
    showAll: (records) => `Alle ${number(records)} zeigen`,
    found: (records, sides) => `Gefunden in ${plural(records, { one: '# Eintrag', other: '# Einträgen' })}: ${sides}`,
    reading: (read, all) => `Wird noch gelesen: ${number(read)} von ${number(all)} Einträgen`,
    sides: {
      proposed: (records) => `${number(records)} vorgeschlagen`,
      answered: (records) => `${number(records)} geantwortet`,
      recorded: (records) => `${number(records)} festgehalten`,
    },
  },

  scrubber: {
    label: 'Zurückblicken',
    place: (seq, last) => `Eintrag ${seq} von ${last}`,
    of: (seq, last) => `${seq} von ${last}`,
    end: 'am Ende',
    toEnd: 'Zurück zum Ende',
  },
};

export const waterfall: WaterfallTexts = {
  label: 'Zeit jedes Schritts',
  totals: 'Zeit aller Schritte',
  scale: 'Maßstab',
  scales: { run: 'Ganzer Lauf', step: 'Jeder Schritt' },
  parts: { model: 'Modell', gates: 'Schranken', sandbox: 'Sandbox', person: 'Person', disk: 'Speicher' },
  none: 'Kein Schritt zu zeigen.',
  betweenSteps: 'Die Zeit zwischen den Schritten ist weggelassen.',
  fromRecords:
    'Schritte, die vor dem Öffnen dieser Seite liefen, haben die Zeiten ihrer Einträge: Dort enthält die Zeit des Modells auch Leerlauf, und die Zeit des Speichers steckt in den anderen Teilen.',
  firstShown: 'Erster gezeigter Schritt',
  shownSteps: (from, to, all) => `Schritte ${number(from)} bis ${number(to)} von ${number(all)}`,
  inSteps: (steps) => `in ${plural(steps, { one: '# Schritt', other: '# Schritten' })}`,
  byRecords: (duration) => `${duration} laut den Einträgen`,
};
