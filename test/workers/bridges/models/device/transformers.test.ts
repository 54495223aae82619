import { describe, expect, test } from 'vitest';
import type { ModelPort, ModelRequest } from '../../../../../workers/api.ts';
import { fromTransformers } from '../../../../../workers/bridges/models/device/transformers.ts';
import {
  type EngineAnswer,
  engineError,
  fakeGenerator,
  InterruptableStoppingCriteria,
  TextStreamer,
} from './engines.ts';

// A fake keeps the pipeline's rules: there is no model to load.

const REQUEST: ModelRequest = {
  messages: [
    { role: 'system', kind: 'opening', content: 'Propose.' },
    { role: 'user', kind: 'task', content: 'Grüße 😀' },
  ],
  dialect: 'xct',
  tools: [],
  proposalSchema: { type: 'object' },
  maxTokens: 9,
};
const CLASSES = { TextStreamer, InterruptableStoppingCriteria };
const DONE: EngineAnswer = { pieces: ['{"done":', 'true', '}'] };

function modelOf(...answers: readonly EngineAnswer[]) {
  const { generator, requests } = fakeGenerator(answers);
  return { requests, model: fromTransformers(generator, { model: 'Tiny', ...CLASSES }) };
}

const ask = (model: ModelPort, more: Partial<ModelRequest> = {}, signal = new AbortController().signal) =>
  model.propose({ ...REQUEST, ...more }, { signal });

describe('a model of transformers.js', () => {
  test('is on this device, and is named after the model that the pipeline has loaded', () => {
    const { id, name, provider, locality } = modelOf().model;
    expect({ id, name, provider, locality }).toEqual({
      id: 'transformers.js:Tiny',
      name: 'Tiny',
      provider: 'transformers.js',
      locality: { kind: 'local' },
    });
  });

  test('gets the messages and the limits, and takes the likeliest token', async () => {
    const { requests, model } = modelOf(DONE);
    await ask(model);
    expect(requests).toMatchObject([
      {
        chat: [
          { role: 'system', content: 'Propose.' },
          { role: 'user', content: 'Grüße 😀' },
        ],
        options: { max_new_tokens: 9, do_sample: false },
      },
    ]);
  });

  test('tells its answer in pieces, and the text reaches the gate unchanged', async () => {
    const { model } = modelOf({ pieces: [' {"a"', ':1,"a":2', '} {'] });
    const pieces: string[] = [];
    const io = { signal: new AbortController().signal, onText: (text: string) => void pieces.push(text) };
    expect(await model.propose(REQUEST, io)).toEqual({ text: ' {"a":1,"a":2} {', finish: 'stop' });
    expect(pieces).toEqual([' {"a"', ':1,"a":2', '} {']);
  });

  test('says that its answer was ended by the tokens of the request', async () => {
    expect(await ask(modelOf(DONE).model, { maxTokens: 2 })).toEqual({ text: '{"done":true', finish: 'length' });
  });

  test('answers two runs one after the other', async () => {
    const { requests, model } = modelOf(DONE, DONE);
    await Promise.all([ask(model), ask(model)]);
    expect(requests).toHaveLength(2);
  });
});

describe('the abort of a run', () => {
  const reason = new Error('stopped');

  test('ends the proposal at once and the pipeline at its next token, and the next request is answered', async () => {
    const abort = new AbortController();
    const computed: number[] = [];
    const before = (at: number): void => {
      computed.push(at);
      if (at === 1) abort.abort(reason);
    };
    const { model } = modelOf({ pieces: ['a', 'b', 'c', 'd'], before }, DONE);
    await expect(ask(model, {}, abort.signal)).rejects.toBe(reason);
    expect(await ask(model)).toMatchObject({ finish: 'stop' });
    expect(computed).toEqual([0, 1]);
  });

  test('that waits for the model never asks it', async () => {
    const abort = new AbortController();
    const { requests, model } = modelOf({ ...DONE, before: (at) => at === 1 && abort.abort(reason) });
    const first = ask(model);
    await expect(ask(model, {}, abort.signal)).rejects.toBe(reason);
    await first;
    expect(requests).toHaveLength(1);
  });
});

describe('a failure', () => {
  test('of the pipeline ends the run, and its text is shown to the developer only', async () => {
    const { model } = modelOf({ ...DONE, fails: engineError('RangeError', 'key 4711') }, DONE);
    const error = await ask(model).catch((thrown: unknown) => thrown);
    const said = 'RangeError: key 4711';
    expect(error).toMatchObject({ code: 'model_failed', retryable: false, details: { fault: 'failed' }, said });
    expect((error as Error).message).not.toContain('4711');
    expect(await ask(model)).toMatchObject({ finish: 'stop' });
  });

  test('an answer of another form is no answer', async () => {
    for (const answer of [undefined, [], [{}], [{ generated_text: [] }], [{ generated_text: [{ content: 1 }] }]]) {
      const generator = Object.assign(async () => answer, { tokenizer: {} }) as never;
      const done = ask(fromTransformers(generator, { model: 'Tiny', ...CLASSES }));
      await expect(done).rejects.toMatchObject({ details: { fault: 'not_completion' } });
    }
  });
});

test('a pipeline or an option of the wrong type is refused by its name', () => {
  const { generator } = fakeGenerator([]);
  expect(() => fromTransformers((() => undefined) as never, { model: 'm', ...CLASSES })).toThrow('generator');
  expect(() => fromTransformers(generator, { model: 'm', TextStreamer } as never)).toThrow(
    'InterruptableStoppingCriteria',
  );
  expect(() => fromTransformers(generator, { model: 'm', top_k: 1, ...CLASSES } as never)).toThrow('top_k');
});
