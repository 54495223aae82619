import type { PullThePlugTexts } from '../../en/lessons/pull-the-plug.ts';

export const pullThePlug: PullThePlugTexts = {
  title: 'Stecker ziehen und wiederholen',
  goal: 'Laden Sie die Seite mitten in einem Lauf neu, und bringen Sie den Lauf zu Ende. Wiederholen Sie dann einen festgehaltenen Lauf mit Würfeln, und sehen Sie, wann das Ergebnis abweicht.',
  predict: {
    question: 'Die Seite verschwindet zwischen zwei Schritten. Was geschieht mit dem Lauf?',
    answers: [
      'Er beginnt von vorn.',
      'Er ist verloren.',
      'Er geht weiter, wo er stand, und sagt, dass er unterbrochen war.',
    ],
    because: 'Ein Schritt zählt, sobald sein Beleg gespeichert ist. Das Fortsetzen fügt einen eigenen Eintrag hinzu.',
  },
  starters: {},
  tasks: {
    resume: {
      say: 'Bringen Sie einen Lauf zu Ende, den Sie durch Neuladen der Seite unterbrochen haben.',
      hint: '„Lauf“: „Schritt“, „Schritt“; diese Seite neu laden; „Laufen lassen“; die Frage beantworten.',
    },
    replay: {
      say: 'Ein anderer Lauf von Ihnen hat zweimal gewürfelt. Wiederholen Sie ihn: Es kommen dieselben Zahlen, weil das Protokoll sie gespeichert hat.',
      hint: '„Noch einmal ausführen“ steht unter den Prüfungen.',
    },
    cost: {
      say: 'Senken Sie in einer Kopie die festgehaltenen Kosten eines Wurfs, mit jedem Hash neu berechnet. Wiederholen Sie die Kopie: Die Kosten weichen ab.',
      hint: 'Drücken Sie „Kosten ändern“, dann „Noch einmal ausführen“.',
    },
  },
  why: 'Ein Aufruf wird festgehalten, bevor er läuft, und ein festgehaltener Aufruf läuft nie zweimal, daher verliert ein unterbrochener Lauf nichts. Auch Zufallszahlen werden festgehalten, daher kann jeder Leser des Protokolls ihn wiederholen und vergleichen.',
};
