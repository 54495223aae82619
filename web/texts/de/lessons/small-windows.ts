import type { SmallWindowsTexts } from '../../en/lessons/small-windows.ts';

export const smallWindows: SmallWindowsTexts = {
  title: 'Kleine Fenster',
  goal: 'Finden Sie mit höchstens 1.000 Byte heraus, wie die Mühle bezahlt wird. Ein Symbol benennt eine Stelle in einem Papier. Ein Fenster darauf hat einen Anfang und ein Ende, und beide werden festgehalten.',
  predict: {
    question: 'Das Modell verlangt ALL von einer Datei. Was bekommt es?',
    answers: ['Die Datei.', 'Den Anfang der Datei.', 'Eine Ablehnung, und die Arten von Fenstern, die es gibt.'],
    because:
      'ALL hat kein Ende, ist also kein Fenster. Stillschweigend einen Teil der Datei zu liefern würde das Modell irreführen.',
  },
  starters: {
    everything: 'Alles',
    much: 'Vierzig Zeilen',
    window: 'Sieben Zeilen',
    write: 'Eine Zeile mehr',
  },
  tasks: {
    everything: { say: 'Verlangen Sie alles, und werden Sie abgelehnt.', hint: 'slice: ALL' },
    much: {
      say: 'Verlangen Sie mehr als 1.000 Byte, und werden Sie abgelehnt, bevor ein Byte gelesen ist.',
      hint: 'head(40) von @BAKERY/SUPPLIERS',
    },
    window: {
      say: 'Lesen Sie die sieben Zeilen. Der Beleg nennt den Text mit seinem Hash, und der Lauf hat nun die Kennzeichen private und untrusted.',
      hint: 'head(7) von @BAKERY/PAYING',
    },
    write: {
      say: 'Schreiben Sie eine Zeile in den Abschnitt. Die Karte zeigt die Änderung und fragt Sie: Genehmigen Sie sie.',
      hint: 'Die Nachricht nennt den Hash des Texts, den sie ersetzt. Hat sich der Text seither geändert, wird nichts geschrieben.',
    },
    gone: {
      say: 'Ändern Sie das Papier, und verlangen Sie dann dasselbe Fenster: Der Abschnitt des Symbols ist fort, und kein anderer tritt an seine Stelle.',
      hint: 'Ändern Sie es auf dieser Seite, und senden Sie dann noch einmal die sieben Zeilen.',
    },
  },
  why: 'Ein kleines Fenster kostet weniger, verrät weniger und lässt sich genau zitieren: Sein Hash benennt genau diesen Text. Der Lauf hält die Kennzeichen des gelesenen Texts fest. Warum, zeigt die nächste Lektion.',
};
