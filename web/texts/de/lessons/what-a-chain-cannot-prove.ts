import type { WhatAChainCannotProveTexts } from '../../en/lessons/what-a-chain-cannot-prove.ts';

export const whatAChainCannotProve: WhatAChainCannotProveTexts = {
  title: 'Was eine Kette nicht beweisen kann',
  goal: 'Schreiben Sie einen ganzen Lauf um: ein anderer Name des Modells, und jeder Hash neu berechnet. Finden Sie dann die Prüfung, die es merkt.',
  predict: {
    question: 'Jeder Eintrag ist umgeschrieben, und jeder Hash mit ihm. Welche Prüfung kann es merken?',
    answers: ['Die der Hashes', 'Die der Verkettung', 'Nur eine, die den Kopf von anderswo kennt'],
    because:
      'Die Prüfungen innerhalb einer Datei beweisen nur, dass ihre Teile zusammenpassen. Ob es der Lauf ist, den Sie gesehen haben, zeigt der Vergleich mit einem Kopf, der außerhalb der Datei notiert ist.',
  },
  starters: {},
  tasks: {
    rewrite: {
      say: 'Schreiben Sie die Kette um, und nehmen Sie den notierten Kopf weg: Hashes und Verkettung sind ohne Befund.',
      hint: 'Leeren Sie „Kopf, den Sie anderswo notiert haben“.',
    },
    restore: {
      say: 'Setzen Sie den Kopf wieder ein: Es ist nicht der Lauf, den Sie erwartet haben.',
      hint: '„Den Kopf wieder einsetzen“ steht über den Prüfungen.',
    },
  },
  why: 'Notieren Sie den Kopf außerhalb der Datei: auf Papier, in einer Nachricht oder bei einer Person, mit der Sie nicht zusammenarbeiten. Er hat 32 Byte.',
};
