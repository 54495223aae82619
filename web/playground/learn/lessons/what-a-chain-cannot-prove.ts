import { FLIP_ONE_BYTE } from './flip-one-byte.ts';
import type { Lesson } from './lesson.ts';

export const WHAT_A_CHAIN_CANNOT_PROVE: Lesson = {
  ...FLIP_ONE_BYTE,
  number: 11,
  title: 'What a chain cannot prove',
  minutes: 4,
  goal: 'Rewrite a whole run: another model’s name, and every hash made anew. Then find the check that notices it.',
  predict: {
    question: 'Every record is rewritten, and every hash with it. Which check can notice?',
    answers: ['Hashes', 'Links', 'Only one that knows the head from elsewhere'],
    right: 2,
    because:
      'The checks inside a file prove only that its parts fit together. To know that it is the run you saw, compare it with a head noted outside the file.',
  },
  tasks: [
    {
      say: 'Rewrite the chain and take away the head you noted: hashes and links find nothing wrong.',
      hint: 'Clear “Head you noted elsewhere”.',
      audit: { last: 'Rewrite whole chain', fails: [], passes: ['form', 'hashes', 'links', 'anchor'] },
    },
    {
      say: 'Put the head back: it is not the run you expected.',
      hint: '“Put the head back” is above the checks.',
      audit: { last: 'Rewrite whole chain', fails: ['anchor'], passes: ['form', 'hashes', 'links'] },
    },
  ],
  why: 'Note the head outside the file: on paper, in a message, or with a person you do not work with. It has 32 bytes.',
  key: [{ anchor: 'clear' }, { tamper: 'Rewrite whole chain' }, { anchor: 'restore' }],
};
