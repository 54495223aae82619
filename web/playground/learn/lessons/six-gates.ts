import { sixGates } from '../../../texts/en/lessons/six-gates.ts';
import { call, type Lesson, lesson, rejected } from './lesson.ts';

const GOOD = call('calc.eval', '{"expression":"6 * 7"}', 'Multiply');
const TWICE = '{"next_step":{"tool":"calc.eval","tool":"notes.put","arguments":{"expression":"1"},"goal":"g"}}';
const BOTH = '{"next_step":{"tool":"calc.eval","arguments":{"expression":"1"},"goal":"g"},"done":true,"message":"m"}';
const STRAY = '{"next_step":{"tool":"calc.eval","arguments":{"expression":"1"},"goal":"g","approved":true}}';
const UNKNOWN = call('calc.Eval', '{"expression":"6 * 7"}');
const WRONG = call('calc.eval', '{"expression":42}');

export const SIX_GATES: Lesson = lesson(sixGates, {
  number: 2,
  minutes: 6,
  right: 1,
  capabilities: ['calc.eval'],
  grants: [{ capability: 'calc.eval', mode: 'allow' }],
  starters: { good: GOOD },
  tasks: {
    syntax: { steps: [[rejected('parse', 'json_syntax')]] },
    twice: { steps: [[rejected('parse', 'duplicate_member')]] },
    both: { steps: [[rejected('structure', 'form_both')]] },
    stray: { steps: [[rejected('form', 'unknown_member')]] },
    unknown: { steps: [[rejected('capability')]] },
    type: { steps: [[rejected('arguments', 'arguments_schema')]] },
  },
  key: [GOOD.slice(0, -1), TWICE, BOTH, STRAY, UNKNOWN, WRONG].map((send) => ({ send })),
});
