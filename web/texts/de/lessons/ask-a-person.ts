import type { AskAPersonTexts } from '../../en/lessons/ask-a-person.ts';

export const askAPerson: AskAPersonTexts = {
  title: 'Eine Person fragen',
  goal: 'Die Freigabe verlangt, Sie zu fragen. Genehmigen Sie einen Aufruf. Verweigern Sie einen anderen, mit einer Begründung.',
  predict: {
    question: 'Sie genehmigen einen Aufruf. Das Modell macht denselben Aufruf noch einmal. Was dann?',
    answers: ['Sie werden wieder gefragt.', 'Er läuft: Sie haben schon zugestimmt.', 'Er wird verweigert.'],
    because:
      'Ihr Ja gilt für einen einzigen Aufruf: diese Fähigkeit, diese Argumente, diesen Schritt. Für mehrere Aufrufe wählen Sie auf der Karte ein weiter reichendes Ja.',
  },
  starters: { note: 'Die Einkaufsliste aufbewahren', other: 'Die Löhne erhöhen' },
  tasks: {
    approved: {
      say: 'Genehmigen Sie einen Aufruf. Das Protokoll enthält dann die Frage, Ihr Ja und den Beleg.',
      hint: 'Die Karte zeigt genau die Argumente, die verwendet werden.',
    },
    denied: {
      say: 'Verweigern Sie einen Aufruf, und geben Sie eine Begründung. Das Modell erfährt sie.',
      hint: 'Drücken Sie „Begründung …“, schreiben Sie sie, und drücken Sie dann „Verweigern“.',
    },
  },
  why: 'Das Nein einer Person, das Nein einer Policy und eine abgelaufene Freigabe haben verschiedene Codes. Das Protokoll hält fest, welches es war, und dazu die Frage.',
};
