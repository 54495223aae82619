import { type Area, area } from '../../area.ts';
import type { Answers } from '../../lesson-texts.ts';

const en = {
  title: 'Six gates',
  goal: 'Be stopped on purpose, once at each gate before the verdict. Start from a good proposal and break one thing.',
  predict: {
    question: 'A proposal names the same key twice, and also a capability that does not exist. Which gate stops it?',
    answers: ['capability', 'parse', 'Both of them'] as Answers,
    because:
      'A proposal passes the gates in order, and the first gate that fails refuses it. Later gates do not check it.',
  },
  starters: { good: 'A good proposal' },
  tasks: {
    syntax: { say: 'parse: not JSON', hint: 'Leave out the last brace.' },
    twice: { say: 'parse: the same key twice', hint: 'Name "tool" twice.' },
    both: { say: 'structure: two answers at once', hint: 'Add "done" and "message" beside next_step.' },
    stray: { say: 'form: an unknown member', hint: 'Put "approved": true into next_step.' },
    unknown: { say: 'capability: a name that is nearly right', hint: 'Names are exact, capital letters included.' },
    type: { say: 'arguments: the wrong type', hint: 'Give a number where a text is wanted.' },
  },
  why: 'Every proposal meets the same six checks in the same order, so two readers cannot understand it differently.',
};

export type SixGatesTexts = typeof en;
export const sixGates: Area<SixGatesTexts> = area('lessons/six-gates', en);
