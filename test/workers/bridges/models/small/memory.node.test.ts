import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { fromSmallModel } from '../../../../../workers/bridges/models/small/small-model.ts';
import { shippedWeights } from '../../../../small-model/weights.ts';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

function memory(): number {
  collect();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

test('200 proposals in a row leave no memory behind', async () => {
  const model = fromSmallModel(await shippedWeights());
  const schema = { type: 'object', properties: { value: { type: 'string' } }, required: ['value'] };
  const propose = (number: number): Promise<unknown> =>
    model.propose(
      {
        messages: [{ role: 'user', kind: 'task', content: `25 + ${number}` }],
        dialect: 'xct',
        tools: [],
        proposalSchema: schema,
        maxTokens: 2,
      },
      { signal: new AbortController().signal },
    );
  for (let number = 0; number < 20; number++) await propose(number);
  const before = memory();
  for (let number = 20; number < 220; number++) await propose(number);
  expect(memory() - before).toBeLessThan(2 ** 20);
});
