import { type Area, area } from '../../area.ts';
import type { Answers } from '../../lesson-texts.ts';

const en = {
  title: 'Valid is not allowed',
  goal: 'Propose a valid call without a grant. Then choose the narrowest grant that still allows you to keep the shopping list.',
  predict: {
    question: 'notes.put exists, is enabled, and its arguments are right. There is no grant. What happens?',
    answers: ['It runs: it is valid.', 'It is denied at authorize.', 'A person is asked.'] as Answers,
    because: 'Without a grant a call is denied. A person is asked only if a grant says so.',
  },
  choices: {
    none: 'No grant',
    any: 'Any note, as often as it likes',
    narrow: 'Only the note called shopping',
  },
  starters: { shopping: 'Keep the shopping list', other: 'Keep something else' },
  tasks: {
    denied: { say: 'Without a grant: denied, though valid.', hint: 'Send the shopping list as it is.' },
    narrow: {
      say: 'With the narrowest grant: the shopping list is kept, and another note is denied in the same run.',
      hint: 'Try both notes under each grant.',
    },
  },
  why: 'A valid call still needs a grant. A grant names a definition by its hash, and can restrict the arguments.',
};

export type ValidIsNotAllowedTexts = typeof en;
export const validIsNotAllowed: Area<ValidIsNotAllowedTexts> = area('lessons/valid-is-not-allowed', en);
