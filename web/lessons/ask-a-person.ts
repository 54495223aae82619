import { call, type Lesson, receipt } from './lesson.ts';

const NOTE = call('notes.put', '{"name":"shopping","text":"Rye, 25 kg"}', 'Keep');
const OTHER = call('notes.put', '{"name":"wages","text":"Everybody gets a raise"}', 'Keep');

export const ASK_A_PERSON: Lesson = {
  number: 5,
  title: 'Ask a person',
  minutes: 4,
  goal: 'The grant says to ask. Say yes to one call, and no to another, with a reason.',
  predict: {
    question: 'You approve one call. The model makes the same call again. What then?',
    answers: ['You are asked again.', 'It runs: you have said yes already.', 'It is denied.'],
    right: 0,
    because:
      'A yes is for one call: this capability, these arguments, this step. Anything longer you would have to choose.',
  },
  capabilities: ['notes.put'],
  grants: [{ capability: 'notes.put', mode: 'ask' }],
  starters: [
    { word: 'Keep the shopping list', text: NOTE },
    { word: 'Raise the wages', text: OTHER },
  ],
  tasks: [
    {
      say: 'Approve a call: the question, your yes and the receipt are in the ledger.',
      hint: 'Read the arguments on the card: they are exactly what will run.',
      steps: [
        [
          { kind: 'approval', body: { event: 'asked' } },
          { kind: 'approval', body: { event: 'answered', approved: true } },
          receipt('SUCCESS'),
        ],
      ],
    },
    {
      say: 'Deny a call, and give a reason. The model is told.',
      hint: 'Deny… opens a field for the reason.',
      steps: [
        [{ kind: 'approval', body: { event: 'answered', approved: false } }, receipt('FAILURE', 'approval_denied')],
      ],
    },
  ],
  why: 'A person’s no is not a policy’s no, and neither is an expiry. The ledger keeps them apart, with what was asked.',
  key: [{ send: NOTE }, { answer: 'approve' }, { send: OTHER }, { answer: 'deny', reason: 'not without me' }],
};
