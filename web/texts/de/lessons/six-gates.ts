import type { SixGatesTexts } from '../../en/lessons/six-gates.ts';

export const sixGates: SixGatesTexts = {
  title: 'Sechs Schranken',
  goal: 'Lassen Sie sich absichtlich stoppen, einmal an jeder Schranke vor dem Urteil. Beginnen Sie mit einem guten Vorschlag, und machen Sie eine Sache kaputt.',
  predict: {
    question:
      'Ein Vorschlag nennt denselben Schlüssel zweimal und außerdem eine Fähigkeit, die es nicht gibt. Welche Schranke stoppt ihn?',
    answers: ['capability', 'parse', 'Beide'],
    because:
      'Ein Vorschlag passiert die Schranken der Reihe nach, und die erste, an der er scheitert, lehnt ihn ab. Spätere Schranken prüfen ihn nicht.',
  },
  starters: { good: 'Ein guter Vorschlag' },
  tasks: {
    syntax: { say: 'parse: kein JSON', hint: 'Lassen Sie die letzte Klammer weg.' },
    twice: { say: 'parse: derselbe Schlüssel zweimal', hint: 'Nennen Sie "tool" zweimal.' },
    both: {
      say: 'structure: zwei Antworten auf einmal',
      hint: 'Fügen Sie neben next_step noch "done" und "message" ein.',
    },
    stray: { say: 'form: ein unbekanntes Member', hint: 'Schreiben Sie "approved": true in next_step.' },
    unknown: {
      say: 'capability: ein Name, der fast stimmt',
      hint: 'Namen gelten genau, auch in Groß- und Kleinschreibung.',
    },
    type: { say: 'arguments: der falsche Typ', hint: 'Geben Sie eine Zahl, wo ein Text verlangt ist.' },
  },
  why: 'Jeder Vorschlag durchläuft dieselben sechs Prüfungen in derselben Reihenfolge, daher können zwei Leser ihn nicht verschieden verstehen.',
};
