import { type Area, area } from '../../area.ts';
import type { Answers } from '../../lesson-texts.ts';

const en = {
  title: 'Write a capability',
  goal: 'The schemas of loaf.price are right; its code is not. Loaves cost 340 pence, and one in twelve is free. Make it so.',
  predict: {
    question: 'The code returns the text "1020" where its schema says integer. What does the model see?',
    answers: ['"1020"', '1020', 'An error: the result is thrown away.'] as Answers,
    because:
      'Results are checked like arguments. A result that does not match its schema is discarded and never shown to the model.',
  },
  starters: { three: '3 loaves', twelve: '12 loaves', many: '500 loaves', none: 'no loaves' },
  tasks: {
    refused: {
      say: 'See the result refused by its schema.',
      hint: 'Ask for three loaves before you change anything.',
    },
    right: {
      say: 'Correct the code until it prices 3, 12 and 500 loaves right.',
      hint: 'Of 12 loaves you pay 11; of 500, you pay 459.',
    },
    none: {
      say: 'No loaves at all: refused before your code is even started.',
      hint: 'minimum is 1.',
    },
  },
  why: 'The schemas check each call before and after your code, so your code has less to check. Changed code is another capability, with another hash.',
};

export type WriteACapabilityTexts = typeof en;
export const writeACapability: Area<WriteACapabilityTexts> = area('lessons/write-a-capability', en);
