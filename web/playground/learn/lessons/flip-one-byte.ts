import { call, type Lesson } from './lesson.ts';

const OPENING = ['1 + 1', '2 * 3', '10 / 4'].map((sum) => call('calc.eval', `{"expression":"${sum}"}`, 'Add'));

export const FLIP_ONE_BYTE: Lesson = {
  number: 10,
  title: 'Flip one byte',
  minutes: 4,
  goal: 'A run of yours is open in the audit. Falsify a copy of it, and see which check finds it.',
  predict: {
    question: 'You change one digit in record 5. Which records can still be relied on?',
    answers: ['All but record 5.', 'Those before record 5.', 'None.'],
    right: 1,
    because:
      'Each record holds the hash of the one before it. From the first broken record on, nothing is proven; what comes before still is.',
  },
  capabilities: ['calc.eval'],
  grants: [{ capability: 'calc.eval', mode: 'allow' }],
  place: 'audit',
  opening: OPENING,
  starters: [],
  tasks: [
    {
      say: 'Flip a byte: the check of hashes fails.',
      hint: 'Choose a record in the chain first.',
      audit: { last: 'Flip a byte', fails: ['hashes'], passes: ['form'] },
    },
    {
      say: 'Delete a record: the check of links fails.',
      hint: 'Undo, then delete.',
      audit: { last: 'Delete record', fails: ['links'], passes: [] },
    },
    {
      say: 'Cut off the end, cleanly: only the head that you noted elsewhere shows it.',
      hint: 'Undo, then cut.',
      audit: { last: 'Cut the end', fails: ['anchor'], passes: ['form', 'hashes', 'links'] },
    },
  ],
  why: 'A chain cannot stop edits. It shows where they are.',
  key: [{ tamper: 'Flip a byte' }, { tamper: 'Delete record' }, { tamper: 'Cut the end' }],
};
