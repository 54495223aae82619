import { call, called, type Lesson, receipt, rejected } from './lesson.ts';

export const ONLY_TEXT: Lesson = {
  number: 1,
  title: 'A proposal is only text',
  minutes: 3,
  goal: 'You are the model. Get a sum worked out. The port reads only JSON.',
  predict: {
    question: 'A model writes “Please add 2 and 3.” What happens?',
    answers: [
      'The port works it out from the sentence.',
      'It stops at the first gate, and is recorded.',
      'Nothing at all.',
    ],
    right: 1,
    because: 'Prose is not a proposal, so no gate after the first one sees it. It leaves a receipt all the same.',
  },
  capabilities: ['calc.eval'],
  grants: [{ capability: 'calc.eval', mode: 'allow' }],
  starters: [
    { word: 'A sentence', text: 'Please add 2 and 3.' },
    { word: 'A proposal', text: call('calc.eval', '{"expression":"2 + 3"}', 'Add') },
  ],
  tasks: [
    {
      say: 'Say it in a sentence, and be stopped at parse.',
      hint: 'Write what you would tell a person.',
      steps: [[rejected('parse'), receipt('FAILURE')]],
    },
    {
      say: 'Propose it, and get a result through every gate.',
      hint: 'One JSON object: next_step with tool, arguments and goal.',
      steps: [[called('calc.eval'), receipt('SUCCESS')]],
    },
  ],
  why: 'A model’s text is only a suggestion. An action runs only after the port has accepted, permitted and recorded it.',
  key: [{ send: 'Please add 2 and 3.' }, { send: call('calc.eval', '{"expression":"2 + 3"}', 'Add') }],
};
