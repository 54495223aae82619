import { expect, test } from 'vitest';
import type { ModelPort } from '../../../../../workers/api.ts';
import { fromPromptApi } from '../../../../../workers/bridges/models/device/prompt-api.ts';
import { fromTransformers } from '../../../../../workers/bridges/models/device/transformers.ts';
import { fromWebLlm } from '../../../../../workers/bridges/models/device/web-llm.ts';
import { defineTool, replayExport } from '../../../../../workers/node.ts';
import { openRuntime } from '../../../../runtime/shared.ts';
import { fakeGenerator, fakeWebLlm, InterruptableStoppingCriteria, TextStreamer } from './engines.ts';
import { fakePromptApi } from './language-model.ts';

// Whole runs: an answer that the gate refuses, the correction, and the end.

const call = (a: unknown): string =>
  JSON.stringify({ next_step: { tool: 'add', arguments: { a, b: 2 }, goal: 'Sum.' } });
const SAID = [call('1'), call(1), '{"done":true,"message":"3"}'];
const ANSWERS = SAID.map((text) => ({ pieces: [text] }));

const api = fakePromptApi(SAID);
const PORTS: readonly (readonly [name: string, model: ModelPort])[] = [
  ["the browser's model", fromPromptApi({ api })],
  ['WebLLM', fromWebLlm(fakeWebLlm(ANSWERS), { model: 'tiny' })],
  [
    'transformers.js',
    fromTransformers(fakeGenerator(ANSWERS).generator, { model: 'tiny', TextStreamer, InterruptableStoppingCriteria }),
  ],
];

const number = { type: 'number' } as const;
const add = defineTool({
  name: 'add',
  version: '1.0.0',
  description: 'Adds two numbers.',
  effect: 'read',
  labels: ['private'],
  args: { type: 'object', properties: { a: number, b: number }, required: ['a', 'b'], additionalProperties: false },
  run: ({ a, b }) => a + b,
});

test.each(PORTS)(
  '%s is refused, corrects itself and ends, reads private content without a question, and the run replays',
  async (_, model) => {
    const runtime = await openRuntime({ tools: [add], grants: [{ capability: 'add', mode: 'allow' }] });
    const run = runtime.start({ dialect: 'xct', task: 'Add 1 and 2.', model });
    expect(await run.result).toMatchObject({ state: 'completed', message: '3', steps: 3 });
    expect((await replayExport(await runtime.ledger.export(run.id))).ok).toBe(true);
    await runtime.close();
  },
);

test("a run of three requests opens a single session of the browser's model", () => {
  expect(api.log).toEqual(['create system', 'prompt user', 'prompt user', 'prompt user']);
});
