import type { OnlyTextTexts } from '../../en/lessons/only-text.ts';

export const onlyText: OnlyTextTexts = {
  title: 'Ein Vorschlag ist nur Text',
  goal: 'Sie sind das Modell. Lassen Sie eine Summe ausrechnen. Die Pforte liest nur JSON.',
  predict: {
    question: 'Ein Modell schreibt „Please add 2 and 3.“ Was geschieht?',
    answers: [
      'Die Pforte errechnet es aus dem Satz.',
      'Der Satz wird an der ersten Schranke gestoppt und festgehalten.',
      'Gar nichts.',
    ],
    because:
      'Prosa ist kein Vorschlag, daher sieht sie keine Schranke nach der ersten. Einen Beleg hinterlässt sie trotzdem.',
  },
  starters: { sentence: 'Ein Satz', proposal: 'Ein Vorschlag' },
  tasks: {
    sentence: {
      say: 'Sagen Sie es in einem Satz, und werden Sie bei parse gestoppt.',
      hint: 'Schreiben Sie, was Sie einer Person sagen würden.',
    },
    proposal: {
      say: 'Schlagen Sie es vor, und erhalten Sie ein Ergebnis durch alle Schranken.',
      hint: 'Ein einzelnes JSON-Objekt: next_step mit tool, arguments und goal.',
    },
  },
  why: 'Der Text eines Modells ist nur eine Anregung. Eine Handlung läuft erst, wenn die Pforte sie angenommen, erlaubt und festgehalten hat.',
};
