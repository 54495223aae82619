import { onlyText } from '../../../texts/en/lessons/only-text.ts';
import { call, called, type Lesson, lesson, receipt, rejected } from './lesson.ts';

export const ONLY_TEXT: Lesson = lesson(onlyText, {
  number: 1,
  minutes: 3,
  right: 1,
  capabilities: ['calc.eval'],
  grants: [{ capability: 'calc.eval', mode: 'allow' }],
  starters: {
    sentence: 'Please add 2 and 3.',
    proposal: call('calc.eval', '{"expression":"2 + 3"}', 'Add'),
  },
  tasks: {
    sentence: { steps: [[rejected('parse'), receipt('FAILURE')]] },
    proposal: { steps: [[called('calc.eval'), receipt('SUCCESS')]] },
  },
  key: [{ send: 'Please add 2 and 3.' }, { send: call('calc.eval', '{"expression":"2 + 3"}', 'Add') }],
});
