import { askAPerson } from '../../../texts/en/lessons/ask-a-person.ts';
import { call, type Lesson, lesson, receipt } from './lesson.ts';

const NOTE = call('notes.put', '{"name":"shopping","text":"Rye, 25 kg"}', 'Keep');
const OTHER = call('notes.put', '{"name":"wages","text":"Everybody gets a raise"}', 'Keep');

export const ASK_A_PERSON: Lesson = lesson(askAPerson, {
  number: 5,
  minutes: 4,
  right: 0,
  capabilities: ['notes.put'],
  grants: [{ capability: 'notes.put', mode: 'ask' }],
  starters: {
    note: NOTE,
    other: OTHER,
  },
  tasks: {
    approved: {
      steps: [
        [
          { kind: 'approval', body: { event: 'asked' } },
          { kind: 'approval', body: { event: 'answered', approved: true } },
          receipt('SUCCESS'),
        ],
      ],
    },
    denied: {
      steps: [
        [
          { kind: 'approval', body: { event: 'answered', approved: false }, except: { reason: { bytes: 0 } } },
          receipt('FAILURE', 'approval_denied'),
        ],
      ],
    },
  },
  key: [{ send: NOTE }, { answer: 'approve' }, { send: OTHER }, { answer: 'deny', reason: 'not without me' }],
});
