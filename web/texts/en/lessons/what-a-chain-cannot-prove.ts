import { type Area, area } from '../../area.ts';
import type { Answers } from '../../lesson-texts.ts';

const en = {
  title: 'What a chain cannot prove',
  goal: 'Rewrite a whole run: another model’s name, and every hash made anew. Then find the check that notices it.',
  predict: {
    question: 'Every record is rewritten, and every hash with it. Which check can notice?',
    answers: ['Hashes', 'Links', 'Only one that knows the head from elsewhere'] as Answers,
    because:
      'The checks inside a file prove only that its parts fit together. To know that it is the run you saw, compare it with a head noted outside the file.',
  },
  starters: {},
  tasks: {
    rewrite: {
      say: 'Rewrite the chain and take away the head you noted: hashes and links find nothing wrong.',
      hint: 'Clear “Head you noted elsewhere”.',
    },
    restore: {
      say: 'Put the head back: it is not the run you expected.',
      hint: '“Put the head back” is above the checks.',
    },
  },
  why: 'Note the head outside the file: on paper, in a message, or with a person you do not work with. It has 32 bytes.',
};

export type WhatAChainCannotProveTexts = typeof en;
export const whatAChainCannotProve: Area<WhatAChainCannotProveTexts> = area('lessons/what-a-chain-cannot-prove', en);
