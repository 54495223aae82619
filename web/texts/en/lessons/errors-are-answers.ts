import { type Area, area } from '../../area.ts';
import type { Answers } from '../../lesson-texts.ts';

const en = {
  title: 'Errors are answers',
  goal: 'Send a proposal that is refused. Read the reply to the model. Correct the fault and propose again.',
  predict: {
    question: 'The amount is sent as the text "250". What does the port do?',
    answers: [
      'It makes a number of it.',
      'It refuses, and says where.',
      'It asks the model again by itself.',
    ] as Answers,
    because: 'The port converts and retries nothing. The reply names the place, and the model proposes again.',
  },
  starters: { wrong: 'The amount as text' },
  tasks: {
    refused: { say: 'Be refused at the arguments.', hint: 'Send the amount in quotes.' },
    corrected: {
      say: 'Correct it yourself: the refusal first, the result after it, each in its own receipt.',
      hint: 'The pointer in the reply says which member.',
    },
  },
  why: 'If the port repaired a proposal, the ledger would hold a proposal that the model did not make. Telling the model the exact fault costs another turn, and the ledger shows both proposals.',
};

export type ErrorsAreAnswersTexts = typeof en;
export const errorsAreAnswers: Area<ErrorsAreAnswersTexts> = area('lessons/errors-are-answers', en);
