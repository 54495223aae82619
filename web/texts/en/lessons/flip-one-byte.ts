import { type Area, area } from '../../area.ts';
import type { Answers } from '../../lesson-texts.ts';

const en = {
  title: 'Flip one byte',
  goal: 'A run of yours is open in the audit. Falsify a copy of it, and see which check finds it.',
  predict: {
    question: 'You change one digit in record 5. Which records can still be relied on?',
    answers: ['All but record 5.', 'Those before record 5.', 'None.'] as Answers,
    because:
      'Each record holds the hash of the one before it. From the first broken record on, nothing is proven; what comes before still is.',
  },
  starters: {},
  tasks: {
    flip: {
      say: 'Flip a byte: the check of hashes fails.',
      hint: 'Choose a record in the chain first.',
    },
    remove: { say: 'Delete a record: the check of links fails.', hint: 'Undo, then delete.' },
    cut: {
      say: 'Cut off the end, cleanly: only the head that you noted elsewhere shows it.',
      hint: 'Undo, then cut.',
    },
  },
  why: 'A chain cannot stop edits. It shows where they are.',
};

export type FlipOneByteTexts = typeof en;
export const flipOneByte: Area<FlipOneByteTexts> = area('lessons/flip-one-byte', en);
