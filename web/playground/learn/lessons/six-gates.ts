import { call, type Lesson, rejected } from './lesson.ts';

const GOOD = call('calc.eval', '{"expression":"6 * 7"}', 'Multiply');
const TWICE = '{"next_step":{"tool":"calc.eval","tool":"notes.put","arguments":{"expression":"1"},"goal":"g"}}';
const BOTH = '{"next_step":{"tool":"calc.eval","arguments":{"expression":"1"},"goal":"g"},"done":true,"message":"m"}';
const STRAY = '{"next_step":{"tool":"calc.eval","arguments":{"expression":"1"},"goal":"g","approved":true}}';
const UNKNOWN = call('calc.Eval', '{"expression":"6 * 7"}');
const WRONG = call('calc.eval', '{"expression":42}');

export const SIX_GATES: Lesson = {
  number: 2,
  title: 'Six gates',
  minutes: 6,
  goal: 'Be stopped on purpose, once at each gate before the verdict. Start from a good proposal and break one thing.',
  predict: {
    question: 'A proposal names the same key twice, and also a capability that does not exist. Which gate stops it?',
    answers: ['capability', 'parse', 'Both of them'],
    right: 1,
    because:
      'A proposal passes the gates in order, and the first gate that fails refuses it. Later gates do not check it.',
  },
  capabilities: ['calc.eval'],
  grants: [{ capability: 'calc.eval', mode: 'allow' }],
  starters: [{ word: 'A good proposal', text: GOOD }],
  tasks: [
    { say: 'parse: not JSON', hint: 'Leave out the last brace.', steps: [[rejected('parse', 'json_syntax')]] },
    { say: 'parse: the same key twice', hint: 'Name "tool" twice.', steps: [[rejected('parse', 'duplicate_member')]] },
    {
      say: 'structure: two answers at once',
      hint: 'Add "done" and "message" beside next_step.',
      steps: [[rejected('structure', 'form_both')]],
    },
    {
      say: 'form: an unknown member',
      hint: 'Put "approved": true into next_step.',
      steps: [[rejected('form', 'unknown_member')]],
    },
    {
      say: 'capability: a name that is nearly right',
      hint: 'Names are exact, capital letters included.',
      steps: [[rejected('capability')]],
    },
    {
      say: 'arguments: the wrong type',
      hint: 'Give a number where a text is wanted.',
      steps: [[rejected('arguments', 'arguments_schema')]],
    },
  ],
  why: 'Every proposal meets the same six checks in the same order, so two readers cannot understand it differently.',
  key: [GOOD.slice(0, -1), TWICE, BOTH, STRAY, UNKNOWN, WRONG].map((send) => ({ send })),
};
