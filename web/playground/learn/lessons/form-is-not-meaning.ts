import { formIsNotMeaning } from '../../../texts/en/lessons/form-is-not-meaning.ts';
import { called, type Lesson, lesson, receipt, rejected } from './lesson.ts';

const SUM = 'What is 17 + 25?';
const POUNDS = 'Convert 2.5 kg to pounds';

export const FORM_IS_NOT_MEANING: Lesson = lesson(formIsNotMeaning, {
  number: 13,
  minutes: 6,
  right: 2,
  capabilities: ['unit.convert'],
  own: [
    {
      name: 'calc.eval',
      version: '2.0.0',
      description: 'Works out a sum of two whole numbers with + - or *.',
      args: {
        type: 'object',
        properties: { formula: { type: 'string', minLength: 1, maxLength: 24 } },
        required: ['formula'],
        additionalProperties: false,
      },
      result: { type: 'object' },
      effect: 'pure',
      source: `export default ({ formula }) => {
  const [, a, sign, b] = /^(\\d+) *([-+*]) *(\\d+)$/.exec(formula) ?? [];
  if (sign === undefined) throw new Error('This is no formula.');
  const value = { '+': Number(a) + Number(b), '-': a - b, '*': a * b }[sign];
  return { value };
};`,
    },
  ],
  grants: [
    { capability: 'calc.eval', mode: 'allow' },
    { capability: 'unit.convert', mode: 'allow' },
  ],
  asks: true,
  starters: {
    sum: SUM,
    pounds: POUNDS,
  },
  tasks: {
    free: { steps: [[rejected('arguments', 'arguments_schema')]] },
    held: { steps: [[called('calc.eval')]] },
    known: { steps: [[called('unit.convert'), receipt('SUCCESS')]] },
  },
  key: [
    { ask: SUM, held: false },
    { ask: SUM, held: true },
    { ask: POUNDS, held: true },
  ],
});
