import { type Area, area } from '../../area.ts';
import type { Answers } from '../../lesson-texts.ts';

const en = {
  title: 'A proposal is only text',
  goal: 'You are the model. Get a sum worked out. The port reads only JSON.',
  predict: {
    question: 'A model writes “Please add 2 and 3.” What happens?',
    answers: [
      'The port works it out from the sentence.',
      'It stops at the first gate, and is recorded.',
      'Nothing at all.',
    ] as Answers,
    because: 'Prose is not a proposal, so no gate after the first one sees it. It leaves a receipt all the same.',
  },
  starters: { sentence: 'A sentence', proposal: 'A proposal' },
  tasks: {
    sentence: {
      say: 'Say it in a sentence, and be stopped at parse.',
      hint: 'Write what you would tell a person.',
    },
    proposal: {
      say: 'Propose it, and get a result through every gate.',
      hint: 'One JSON object: next_step with tool, arguments and goal.',
    },
  },
  why: 'A model’s text is only a suggestion. An action runs only after the port has accepted, permitted and recorded it.',
};

export type OnlyTextTexts = typeof en;
export const onlyText: Area<OnlyTextTexts> = area('lessons/only-text', en);
