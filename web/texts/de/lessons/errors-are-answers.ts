import type { ErrorsAreAnswersTexts } from '../../en/lessons/errors-are-answers.ts';

export const errorsAreAnswers: ErrorsAreAnswersTexts = {
  title: 'Fehler sind Antworten',
  goal: 'Senden Sie einen Vorschlag, der abgelehnt wird. Lesen Sie die Antwort an das Modell. Berichtigen Sie den Fehler, und schlagen Sie es noch einmal vor.',
  predict: {
    question: 'Die Menge wird als Text "250" gesendet. Was tut die Pforte?',
    answers: [
      'Sie macht daraus eine Zahl.',
      'Sie lehnt ab und sagt, an welcher Stelle.',
      'Sie fragt das Modell von sich aus noch einmal.',
    ],
    because:
      'Die Pforte wandelt nichts um und wiederholt nichts. Die Antwort nennt die Stelle, und das Modell schlägt noch einmal vor.',
  },
  starters: { wrong: 'Die Menge als Text' },
  tasks: {
    refused: { say: 'Werden Sie bei arguments abgelehnt.', hint: 'Senden Sie die Menge in Anführungszeichen.' },
    corrected: {
      say: 'Berichtigen Sie es selbst: erst die Ablehnung, danach das Ergebnis, jedes in einem eigenen Beleg.',
      hint: 'Der Zeiger in der Antwort sagt, welches Member.',
    },
  },
  why: 'Würde die Pforte einen Vorschlag reparieren, so stünde im Protokoll ein Vorschlag, den das Modell nicht gemacht hat. Dem Modell den genauen Fehler zu sagen kostet eine weitere Runde, und das Protokoll zeigt beide Vorschläge.',
};
