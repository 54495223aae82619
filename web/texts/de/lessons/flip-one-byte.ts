import type { FlipOneByteTexts } from '../../en/lessons/flip-one-byte.ts';

export const flipOneByte: FlipOneByteTexts = {
  title: 'Ein einziges Byte ändern',
  goal: 'Ein Lauf von Ihnen ist in der Prüfung geöffnet. Fälschen Sie eine Kopie davon, und sehen Sie, welche Prüfung es findet.',
  predict: {
    question: 'Sie ändern in Eintrag 5 eine Ziffer. Auf welche Einträge ist noch Verlass?',
    answers: ['Auf alle außer Eintrag 5.', 'Auf die vor Eintrag 5.', 'Auf keinen.'],
    because:
      'Jeder Eintrag enthält den Hash des vorigen. Ab dem ersten beschädigten Eintrag ist nichts mehr bewiesen, alles davor schon.',
  },
  starters: {},
  tasks: {
    flip: {
      say: 'Ändern Sie ein Byte: Die Prüfung der Hashes scheitert.',
      hint: 'Wählen Sie zuerst einen Eintrag in der Kette.',
    },
    remove: {
      say: 'Löschen Sie einen Eintrag: Die Prüfung der Verkettung scheitert.',
      hint: 'Erst „Rückgängig“, dann löschen.',
    },
    cut: {
      say: 'Schneiden Sie das Ende sauber ab: Nur der Kopf, den Sie anderswo notiert haben, zeigt es.',
      hint: 'Erst „Rückgängig“, dann abschneiden.',
    },
  },
  why: 'Eine Kette kann Änderungen nicht verhindern. Sie zeigt, wo sie sind.',
};
