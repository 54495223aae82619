import { call, type Lesson } from './lesson.ts';

const OPENING = ['1 + 1', '2 * 3', '10 / 4'].map((sum) => call('calc.eval', `{"expression":"${sum}"}`, 'Add'));

export const FLIP_ONE_BYTE: Lesson = {
  number: 10,
  title: 'Flip one byte',
  minutes: 4,
  goal: 'A run of yours is open in the audit. Falsify a copy of it, and see which check notices.',
  predict: {
    question: 'You change one digit in record 5. Which records can still be relied on?',
    answers: ['All but record 5.', 'Those before record 5.', 'None.'],
    right: 1,
    because:
      'Each record holds the hash of the one before it. From the first that does not fit, nothing in the file is proven.',
  },
  capabilities: ['calc.eval'],
  grants: [{ capability: 'calc.eval', mode: 'allow' }],
  place: 'audit',
  opening: OPENING,
  starters: [],
  tasks: [
    {
      say: 'Flip a byte: the hashes notice.',
      hint: 'Choose a record in the chain first.',
      audit: { last: 'Flip a byte', fails: ['hashes'], passes: ['form'] },
    },
    {
      say: 'Delete a record: the links notice.',
      hint: 'Undo, then delete.',
      audit: { last: 'Delete record', fails: ['links'], passes: [] },
    },
    {
      say: 'Cut off the end, so neatly that only the head you noted elsewhere notices.',
      hint: 'Undo, then cut.',
      audit: { last: 'Cut the end', fails: ['anchor'], passes: ['form', 'hashes', 'links'] },
    },
  ],
  why: 'Whoever can edit a file can edit it. A chain does not prevent that; it says where.',
  key: [{ tamper: 'Flip a byte' }, { tamper: 'Delete record' }, { tamper: 'Cut the end' }],
};
