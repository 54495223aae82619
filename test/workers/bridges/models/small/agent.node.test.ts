import { afterAll, describe, expect, test } from 'vitest';
import { withFiles } from '../../../../../sandbox/capabilities/index.ts';
import { CORPUS } from '../../../../../web/playground/demo/corpus.ts';
import type { ModelPort, Run, RunEnd } from '../../../../../workers/api.ts';
import { fromSmallModel } from '../../../../../workers/bridges/models/small/small-model.ts';
import { openRuntime } from '../../../../runtime/shared.ts';
import { shippedWeights } from '../../../../small-model/weights.ts';

const model = fromSmallModel(await shippedWeights());
const capabilities = withFiles(CORPUS);
const granted = capabilities.filter(({ name }) => name !== 'calendar.add');
const asked: string[] = [];
const runtime = await openRuntime({
  capabilities,
  grants: granted.map(({ name, effect }) => ({ capability: name, mode: effect === 'write' ? 'ask' : 'allow' })),
  approve: ({ capability }) => {
    asked.push(capability);
    return Promise.resolve({ approved: true });
  },
});
afterAll(() => runtime.close());

type Dialect = 'xct' | 'femtoclaw';

/** Status and code of each receipt, and the end of the run, whose records verify. */
async function resultOf(run: Run): Promise<{ receipts: unknown[]; end: RunEnd }> {
  const receipts: unknown[] = [];
  for await (const record of run.records()) {
    if (record.kind !== 'receipt') continue;
    const { receipt, evidence } = record.body;
    receipts.push(evidence.reason?.code ?? receipt.status);
  }
  const end = await run.result;
  expect(await runtime.ledger.verify(run.id)).toMatchObject({ ok: true });
  return { receipts, end };
}

function carryOut(dialect: Dialect, task: string, proposer: ModelPort = model) {
  return resultOf(runtime.start({ dialect, task, model: proposer }));
}

/** The small model behind a first proposal that another has made. */
function after(first: string): ModelPort {
  let begun = false;
  return {
    ...model,
    propose(request, io) {
      if (begun) return model.propose(request, io);
      begun = true;
      return Promise.resolve({ text: first });
    },
  };
}

/** A call of the form of this dialect. */
function call(dialect: Dialect, tool: string, args: object): string {
  return JSON.stringify(
    dialect === 'xct' ? { next_step: { tool, arguments: args, goal: 'Work it out' } } : { tool_call: { tool, args } },
  );
}

describe.each(['xct', 'femtoclaw'] as const)('an agent with the small model in %s', (dialect) => {
  test('works a sum out in the sandbox and says its value', async () => {
    const { receipts, end } = await carryOut(dialect, 'What is 17 + 25?');
    expect(receipts).toEqual(['SUCCESS', 'SUCCESS']);
    expect(end).toMatchObject({ message: 'The answer is 42.' });
  });

  test('keeps a note after a person has said yes', async () => {
    asked.length = 0;
    const { receipts, end } = await carryOut(dialect, 'Keep a note named oven-3: the left corner burns');
    expect([receipts, asked]).toEqual([['SUCCESS', 'SUCCESS'], ['notes.put']]);
    expect(end).toMatchObject({ message: 'Kept the note oven-3.' });
  });

  test('tells a refusal, and declines a task without a tool', async () => {
    const refused = await carryOut(dialect, 'schedule oven cleaning for 2025-12-07 at 16:30');
    expect(refused.receipts).toEqual(['no_grant', 'SUCCESS']);
    expect(refused.end).toMatchObject({ message: 'I may not use calendar.add here.' });
    const declined = await carryOut(dialect, 'What is the capital of France?');
    expect(declined.receipts).toEqual(['SUCCESS']);
    expect(declined.end).toMatchObject({ message: expect.stringMatching(/^I can only use/) });
  });

  test('corrects a first proposal that is no JSON', async () => {
    const { receipts, end } = await carryOut(dialect, 'What is 17 + 25?', after('Sure! Let me work that out for you.'));
    expect(receipts).toEqual(['json_syntax', 'SUCCESS', 'SUCCESS']);
    expect(end).toMatchObject({ message: 'The answer is 42.' });
  });

  test('corrects a first proposal whose argument has the wrong type', async () => {
    const first = call(dialect, 'calc.eval', { expression: 42 });
    const { receipts, end } = await carryOut(dialect, 'What is 17 + 25?', after(first));
    expect(receipts).toEqual(['arguments_schema', 'SUCCESS', 'SUCCESS']);
    expect(end).toMatchObject({ message: 'The answer is 42.' });
  });
});

test('two runs at once, of two dialects, share one model, and each has its own answer', async () => {
  const runs = [
    runtime.start({ dialect: 'xct', task: 'What is 17 + 25?', model }),
    runtime.start({ dialect: 'femtoclaw', task: 'Keep a note named oven-3: the left corner burns', model }),
  ];
  const results = await Promise.all(runs.map(resultOf));
  expect(results.map(({ receipts }) => receipts)).toEqual([
    ['SUCCESS', 'SUCCESS'],
    ['SUCCESS', 'SUCCESS'],
  ]);
  expect(results.map(({ end }) => end.message)).toEqual(['The answer is 42.', 'Kept the note oven-3.']);
});
