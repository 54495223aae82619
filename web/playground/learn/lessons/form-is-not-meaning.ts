import { called, type Lesson, receipt, rejected } from './lesson.ts';

const SUM = 'What is 17 + 25?';
const POUNDS = 'Convert 2.5 kg to pounds';

export const FORM_IS_NOT_MEANING: Lesson = {
  number: 13,
  title: 'The right form is not the right meaning',
  minutes: 6,
  goal: 'A small model proposes, in this page. It has learnt that calc.eval takes an “expression”. Here calc.eval has a new version, which takes a “formula”. Give it a sum with the constraint and without.',
  predict: {
    question:
      'A decoder holds the model to the schema of this run, so that it can only write “formula”. What becomes of its sum?',
    answers: [
      'It is refused: the model does not know this tool.',
      'It is right: the schema tells the model what to do.',
      'It has the right form. Whether its value is right, no gate can know.',
    ],
    right: 2,
    because:
      'The constraint makes the form. The value in it comes from the model, which has never met this tool: read what the receipt says.',
  },
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
  starters: [
    { word: 'A sum', text: SUM },
    { word: 'Pounds', text: POUNDS },
  ],
  tasks: [
    {
      say: 'Not held to the form: the model names the argument as it has learnt to, and is refused at arguments.',
      hint: 'Switch the form off, ask for the sum, and send what the model says.',
      steps: [[rejected('arguments', 'arguments_schema')]],
    },
    {
      say: 'Held to the form: a call of calc.eval passes the first six gates. Look at what it asks for.',
      hint: 'Switch the form on, and ask for the same sum.',
      steps: [[called('calc.eval')]],
    },
    {
      say: 'A tool that the model knows: form and meaning are right.',
      hint: 'Ask for pounds, with the form or without.',
      steps: [[called('unit.convert'), receipt('SUCCESS')]],
    },
  ],
  why: 'A constraint saves refusals, and costs no safety: the gates judge each proposal as if there were none. It cannot give a model the meaning of a tool. So trust the receipt, and not the words of the model.',
  key: [
    { ask: SUM, held: false },
    { ask: SUM, held: true },
    { ask: POUNDS, held: true },
  ],
};
