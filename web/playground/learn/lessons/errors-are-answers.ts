import { call, called, type Lesson, receipt, rejected } from './lesson.ts';

const WRONG = call('unit.convert', '{"value":"250","from":"g","to":"kg"}', 'Weigh');
const RIGHT = call('unit.convert', '{"value":250,"from":"g","to":"kg"}', 'Weigh');

export const ERRORS_ARE_ANSWERS: Lesson = {
  number: 3,
  title: 'Errors are answers',
  minutes: 4,
  goal: 'Send something that is refused, read what the model is told, and propose again with that one thing corrected.',
  predict: {
    question: 'The amount is sent as the text "250". What does the port do?',
    answers: ['It makes a number of it.', 'It refuses, and says where.', 'It asks the model again by itself.'],
    right: 1,
    because:
      'Nothing is converted and nothing is retried. The answer names the place, and the next move is the model’s.',
  },
  capabilities: ['unit.convert'],
  grants: [{ capability: 'unit.convert', mode: 'allow' }],
  starters: [{ word: 'The amount as text', text: WRONG }],
  tasks: [
    {
      say: 'Be refused at the arguments.',
      hint: 'Send the amount in quotes.',
      steps: [[rejected('arguments', 'arguments_schema'), { kind: 'observation', body: { status: 'error' } }]],
    },
    {
      say: 'Correct it yourself: the refusal first, the result after it, each in its own receipt.',
      hint: 'The pointer in the reply says which member.',
      steps: [
        [rejected('arguments'), receipt('FAILURE')],
        [called('unit.convert'), receipt('SUCCESS')],
      ],
    },
  ],
  why: 'A repaired proposal is one that nobody made. Telling the model exactly what was wrong costs one more turn, and the ledger shows both.',
  key: [{ send: WRONG }, { send: RIGHT }],
};
