import { call, type Lesson, receipt } from './lesson.ts';

const NOTE = call('notes.put', '{"name":"shopping","text":"Rye, 25 kg"}', 'Keep');
const OTHER = call('notes.put', '{"name":"wages","text":"Everybody gets a raise"}', 'Keep');

export const ASK_A_PERSON: Lesson = {
  number: 5,
  title: 'Ask a person',
  minutes: 4,
  goal: 'The grant says to ask you. Approve one call. Deny another, and give a reason.',
  predict: {
    question: 'You approve one call. The model makes the same call again. What then?',
    answers: ['You are asked again.', 'It runs: you have said yes already.', 'It is denied.'],
    right: 0,
    because:
      'Your yes covers one call: this capability, these arguments, this step. For more than one call you choose a wider yes on the card.',
  },
  capabilities: ['notes.put'],
  grants: [{ capability: 'notes.put', mode: 'ask' }],
  starters: [
    { word: 'Keep the shopping list', text: NOTE },
    { word: 'Raise the wages', text: OTHER },
  ],
  tasks: [
    {
      say: 'Approve a call. The ledger then holds the question, your yes and the receipt.',
      hint: 'The card shows the exact arguments that will run.',
      steps: [
        [
          { kind: 'approval', body: { event: 'asked' } },
          { kind: 'approval', body: { event: 'answered', approved: true } },
          receipt('SUCCESS'),
        ],
      ],
    },
    {
      say: 'Deny a call and give a reason. The model is told the reason.',
      hint: 'Press Reason…, type it, then Deny.',
      steps: [
        [
          { kind: 'approval', body: { event: 'answered', approved: false }, except: { reason: { bytes: 0 } } },
          receipt('FAILURE', 'approval_denied'),
        ],
      ],
    },
  ],
  why: 'A person’s no, a policy’s no and an expired grant have different codes. The ledger records which it was, and the question.',
  key: [{ send: NOTE }, { answer: 'approve' }, { send: OTHER }, { answer: 'deny', reason: 'not without me' }],
};
