import { canonicalText, sha256Text } from '../../../../core/index.ts';
import type { CapabilityDefinition } from '../../../../workers/api.ts';
import { call, called, type Lesson, receipt, rejected } from './lesson.ts';

const PRICE: CapabilityDefinition = {
  name: 'loaf.price',
  version: '0.1.0',
  description: 'What so many loaves cost, at 340 pence each; from twelve on, one in twelve is free.',
  args: {
    type: 'object',
    properties: { loaves: { type: 'integer', minimum: 1, maximum: 500 } },
    required: ['loaves'],
    additionalProperties: false,
  },
  result: {
    type: 'object',
    properties: { pence: { type: 'integer' } },
    required: ['pence'],
    additionalProperties: false,
  },
  effect: 'pure',
  source: 'export default ({ loaves }) => {\n  return { pence: `${loaves * 340}` };\n};\n',
};

const SOLVED = 'export default ({ loaves }) => ({ pence: (loaves - Math.floor(loaves / 12)) * 340 });';
const ask = (loaves: number) => call(PRICE.name, `{"loaves":${loaves}}`, 'Price');
/** The receipt names the result by its hash: the right price has this hash, whichever code computed it. */
const priced = (pence: number) =>
  ({ kind: 'receipt', body: { evidence: { result_hash: sha256Text(canonicalText({ pence })) } } }) as const;

export const WRITE_A_CAPABILITY: Lesson = {
  number: 7,
  title: 'Write a capability',
  minutes: 6,
  goal: 'The schemas of loaf.price are right; its code is not. Loaves cost 340 pence, and one in twelve is free. Make it so.',
  predict: {
    question: 'The code returns the text "1020" where its schema says integer. What does the model see?',
    answers: ['"1020"', '1020', 'An error: the result is thrown away.'],
    right: 2,
    because:
      'Results are checked like arguments. A result that does not match its schema is discarded and never shown to the model.',
  },
  capabilities: [],
  own: [PRICE],
  writes: true,
  grants: [{ capability: PRICE.name, mode: 'allow' }],
  starters: [
    { word: '3 loaves', text: ask(3) },
    { word: '12 loaves', text: ask(12) },
    { word: '500 loaves', text: ask(500) },
    { word: 'no loaves', text: ask(0) },
  ],
  tasks: [
    {
      say: 'See the result refused by its schema.',
      hint: 'Ask for three loaves before you change anything.',
      steps: [[called(PRICE.name), receipt('FAILURE', 'result_schema')]],
    },
    {
      say: 'Correct the code until it prices 3, 12 and 500 loaves right.',
      hint: 'Of 12 loaves you pay 11; of 500, you pay 459.',
      steps: [[priced(3 * 340)], [priced(11 * 340)], [priced(459 * 340)]],
    },
    {
      say: 'No loaves at all: refused before your code is even started.',
      hint: 'minimum is 1.',
      steps: [[rejected('arguments', 'arguments_schema')]],
    },
  ],
  why: 'The schemas check each call before and after your code, so your code has less to check. Changed code is another capability, with another hash.',
  key: [
    { send: ask(3) },
    { source: SOLVED },
    { send: ask(3) },
    { send: ask(12) },
    { send: ask(500) },
    { send: ask(0) },
  ],
};
