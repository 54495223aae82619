import type { FormIsNotMeaningTexts } from '../../en/lessons/form-is-not-meaning.ts';

export const formIsNotMeaning: FormIsNotMeaningTexts = {
  title: 'Die richtige Form ist nicht die richtige Bedeutung',
  goal: 'Ein kleines Modell schlägt vor, in dieser Seite. Es hat gelernt, dass calc.eval eine „expression“ nimmt. Hier hat calc.eval eine neue Version, die eine „formula“ nimmt. Geben Sie ihm eine Rechnung, mit der Bindung an die Form und ohne sie.',
  predict: {
    question:
      'Ein Decoder bindet das Modell an das Schema dieses Laufs, sodass es nur „formula“ schreiben kann. Was wird aus seiner Rechnung?',
    answers: [
      'Sie wird abgelehnt: Das Modell kennt dieses Werkzeug nicht.',
      'Sie stimmt: Das Schema sagt dem Modell, was zu tun ist.',
      'Sie hat die richtige Form. Ob ihr Wert stimmt, kann keine Schranke wissen.',
    ],
    because:
      'Die Bindung bewirkt die Form. Der Wert darin kommt vom Modell, das dieses Werkzeug nie gesehen hat: Lesen Sie, was der Beleg sagt.',
  },
  starters: { sum: 'Eine Rechnung', pounds: 'Pfund' },
  tasks: {
    free: {
      say: 'Nicht an die Form gebunden: Das Modell nennt das Argument, wie es das gelernt hat, und wird bei arguments abgelehnt.',
      hint: 'Schalten Sie die Bindung aus, fragen Sie nach der Rechnung, und senden Sie, was das Modell sagt.',
    },
    held: {
      say: 'An die Form gebunden: Ein Aufruf von calc.eval passiert die ersten sechs Schranken. Sehen Sie nach, was er verlangt.',
      hint: 'Schalten Sie die Bindung ein, und fragen Sie nach derselben Rechnung.',
    },
    known: {
      say: 'Ein Werkzeug, das das Modell kennt: Form und Bedeutung stimmen.',
      hint: 'Fragen Sie nach Pfund, mit der Bindung oder ohne sie.',
    },
  },
  why: 'Eine Bindung erspart Ablehnungen und kostet keine Sicherheit: Die Schranken beurteilen jeden Vorschlag, als gäbe es sie nicht. Die Bedeutung eines Werkzeugs kann sie einem Modell nicht geben. Vertrauen Sie also dem Beleg und nicht den Worten des Modells.',
};
