import { canonicalText, sha256Text } from '../../../../core/index.ts';
import type { CapabilityDefinition } from '../../../../workers/api.ts';
import { writeACapability } from '../../../texts/en/lessons/write-a-capability.ts';
import { call, called, type Lesson, lesson, receipt, rejected } from './lesson.ts';

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

export const WRITE_A_CAPABILITY: Lesson = lesson(writeACapability, {
  number: 7,
  minutes: 6,
  right: 2,
  capabilities: [],
  own: [PRICE],
  writes: true,
  grants: [{ capability: PRICE.name, mode: 'allow' }],
  starters: {
    three: ask(3),
    twelve: ask(12),
    many: ask(500),
    none: ask(0),
  },
  tasks: {
    refused: { steps: [[called(PRICE.name), receipt('FAILURE', 'result_schema')]] },
    right: { steps: [[priced(3 * 340)], [priced(11 * 340)], [priced(459 * 340)]] },
    none: { steps: [[rejected('arguments', 'arguments_schema')]] },
  },
  key: [
    { send: ask(3) },
    { source: SOLVED },
    { send: ask(3) },
    { send: ask(12) },
    { send: ask(500) },
    { send: ask(0) },
  ],
});
