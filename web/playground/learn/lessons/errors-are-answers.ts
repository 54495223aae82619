import { call, called, type Lesson, receipt, rejected } from './lesson.ts';

const WRONG = call('unit.convert', '{"value":"250","from":"g","to":"kg"}', 'Weigh');
const RIGHT = call('unit.convert', '{"value":250,"from":"g","to":"kg"}', 'Weigh');

export const ERRORS_ARE_ANSWERS: Lesson = {
  number: 3,
  title: 'Errors are answers',
  minutes: 4,
  goal: 'Send a proposal that is refused. Read the reply to the model. Correct the fault and propose again.',
  predict: {
    question: 'The amount is sent as the text "250". What does the port do?',
    answers: ['It makes a number of it.', 'It refuses, and says where.', 'It asks the model again by itself.'],
    right: 1,
    because: 'The port converts and retries nothing. The reply names the place, and the model proposes again.',
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
  why: 'If the port repaired a proposal, the ledger would hold a proposal that the model did not make. Telling the model the exact fault costs another turn, and the ledger shows both proposals.',
  key: [{ send: WRONG }, { send: RIGHT }],
};
