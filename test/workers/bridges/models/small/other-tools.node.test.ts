import { describe, expect, test } from 'vitest';
import { defineCapability } from '../../../../../core/index.ts';
import { fromSmallModel } from '../../../../../workers/bridges/models/small/small-model.ts';
import { openRuntime } from '../../../../runtime/shared.ts';
import { shippedWeights } from '../../../../small-model/weights.ts';

const model = fromSmallModel(await shippedWeights());

/** Carries a task out with an adding tool of any name and members, and returns its arguments and the answer. */
async function add(name: string, [a, b]: readonly [string, string], task: string, dialect: 'xct' | 'femtoclaw') {
  const number = { type: 'number' };
  const adding = defineCapability({
    name,
    version: '1.0.0',
    description: 'Adds two numbers.',
    effect: 'pure',
    args: {
      type: 'object',
      required: [a, b],
      additionalProperties: false,
      properties: { [a]: number, [b]: number },
    },
    run: (args: Record<string, number>) => ({ sum: Object.values(args).reduce((sum, each) => sum + each, 0) }),
  } as never);
  const runtime = await openRuntime({ capabilities: [adding], grants: [{ capability: name, mode: 'allow' }] });
  try {
    const run = runtime.start({ dialect, task, model });
    const end = await run.result;
    expect(await runtime.ledger.verify(run.id)).toMatchObject({ ok: true });
    return 'message' in end ? end.message : end;
  } finally {
    await runtime.close();
  }
}

test('the small model carries out the example of the README', async () => {
  expect(await add('math.add', ['a', 'b'], 'Add 2 and 3.', 'xct')).toBe('The answer is 5.');
});

describe.each(['xct', 'femtoclaw'] as const)('the small model and the tool of the README in %s', (dialect) => {
  test.each([
    ['Add 2 and 3.', 5],
    ['What is 17 + 25?', 42],
    ['how much is 120 plus 7', 127],
  ])('%s', async (task, sum) => {
    expect(await add('math.add', ['a', 'b'], task, dialect)).toBe(`The answer is ${sum}.`);
  });
});

test('an adding tool with names that the model has never met is called by the form of the request', async () => {
  expect(await add('abacus.sum', ['left', 'right'], 'Add 12 and 30', 'xct')).toBe('The answer is 42.');
});
