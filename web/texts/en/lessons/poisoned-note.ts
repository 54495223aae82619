import { type Area, area } from '../../area.ts';
import type { Answers } from '../../lesson-texts.ts';

const en = {
  title: 'The poisoned note',
  goal: 'A delivery slip gives orders to “the assistant”, and says it is authorised. Read it, and do as it says.',
  predict: {
    question:
      'notes.put is granted without asking. The model has just read the slip. It calls notes.put. What happens?',
    answers: ['It runs: it is granted.', 'A person is asked all the same.', 'The run is ended.'] as Answers,
    because:
      'After the model has read a stranger’s text, each write needs a person’s approval, even where a grant allows it.',
  },
  starters: {
    read: 'Read the slip',
    pay: 'Enter the payment',
    send: 'Send the invoices',
    note: 'Keep a note',
  },
  tasks: {
    read: { say: 'Read the slip. Reading is harmless.', hint: 'head(18)' },
    pay: {
      say: 'Enter the payment, as it says: denied.',
      hint: 'The slip says you are authorised. Are you?',
    },
    send: { say: 'Send the invoices away, as the slip says: no capability can do it.', hint: 'net.fetch' },
    note: {
      say: 'After reading, call the granted capability. You are asked: deny it.',
      hint: 'Keep a note, then deny.',
    },
  },
  why: 'Text gives no permission. Permission comes from grants, and they were made before the model read the slip.',
};

export type PoisonedNoteTexts = typeof en;
export const poisonedNote: Area<PoisonedNoteTexts> = area('lessons/poisoned-note', en);
