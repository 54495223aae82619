import type { MLCEngineInterface, ServiceWorkerMLCEngine, WebWorkerMLCEngine } from '@mlc-ai/web-llm';
import { describe, expect, test } from 'vitest';
import type { ModelPort, ModelRequest } from '../../../../../workers/api.ts';
import { fromWebLlm, type WebLlmEngine } from '../../../../../workers/bridges/models/device/web-llm.ts';
import { type EngineAnswer, engineError, fakeWebLlm } from './engines.ts';

// A fake keeps the engine's rules: the browsers of these tests have no GPU, and there is no model to load.

const REQUEST: ModelRequest = {
  messages: [
    { role: 'system', kind: 'opening', content: 'Propose.' },
    { role: 'user', kind: 'task', content: 'Grüße 😀' },
  ],
  dialect: 'xct',
  tools: [],
  proposalSchema: { type: 'object', properties: { done: { const: true } }, required: ['done'], minProperties: 1 },
  maxTokens: 9,
  seed: 7,
};
const DONE: EngineAnswer = { pieces: ['{"done":', 'true', '}'] };

function modelOf(...answers: readonly EngineAnswer[]) {
  const engine = fakeWebLlm(answers);
  return { engine, model: fromWebLlm(engine, { model: 'tiny-MLC' }) };
}

const ask = (model: ModelPort, more: Partial<ModelRequest> = {}, signal = new AbortController().signal) =>
  model.propose({ ...REQUEST, ...more }, { signal });

test('the engines of the package, in the window and behind their workers, have the members that the adapter uses', () => {
  const typed = (engine: MLCEngineInterface | WebWorkerMLCEngine | ServiceWorkerMLCEngine): WebLlmEngine => engine;
  expect(typed).toBeTypeOf('function');
});

describe('a model of WebLLM', () => {
  test('is on this device, and is named after the model that the engine has loaded', () => {
    const { model } = modelOf();
    const { id, name, provider, locality } = model;
    expect({ id, name, provider, locality }).toEqual({
      id: 'web-llm:tiny-MLC',
      name: 'tiny-MLC',
      provider: 'web-llm',
      locality: { kind: 'local' },
    });
    expect(fromWebLlm(fakeWebLlm([]), { model: 'm', window: { contextBytes: 9 } }).window).toEqual({ contextBytes: 9 });
  });

  test('gets the messages, the limits, and the schema as text, without the keywords that its decoder does not take', async () => {
    const { engine, model } = modelOf(DONE);
    await ask(model);
    const [request] = engine.requests;
    const { response_format, ...rest } = request ?? ({} as never);
    expect(JSON.parse(response_format.schema)).toEqual({
      type: 'object',
      properties: { done: { const: true } },
      required: ['done'],
      additionalProperties: true,
    });
    expect(rest).toEqual({
      model: 'tiny-MLC',
      stream: true,
      stream_options: { include_usage: true },
      messages: [
        { role: 'system', content: 'Propose.' },
        { role: 'user', content: 'Grüße 😀' },
      ],
      max_tokens: 9,
      temperature: 0,
      seed: 7,
    });
  });

  test('tells its answer in pieces, and the text reaches the gate unchanged', async () => {
    const { model } = modelOf({ pieces: [' {"a"', ':1,"a":2', '} {'] });
    const pieces: string[] = [];
    const io = { signal: new AbortController().signal, onText: (text: string) => void pieces.push(text) };
    const answer = await model.propose(REQUEST, io);
    expect(answer).toEqual({ text: ' {"a":1,"a":2} {', finish: 'stop', usage: { input: 7, output: 3 } });
    expect(pieces).toEqual([' {"a"', ':1,"a":2', '} {']);
  });

  test('says that its answer was ended by the tokens of the request', async () => {
    expect(await ask(modelOf(DONE).model, { maxTokens: 2 })).toMatchObject({ text: '{"done":true', finish: 'length' });
  });

  test('joins a surrogate pair that was cut between two pieces, and half a pair becomes bytes', async () => {
    expect(await ask(modelOf({ pieces: ['"\ud83d', '\ude00"'] }).model)).toMatchObject({ text: '"😀"' });
    expect((await ask(modelOf({ pieces: ['"\ud83d"'] }).model)).text).toBeInstanceOf(Uint8Array);
  });

  test('answers two runs one after the other', async () => {
    const { engine, model } = modelOf(DONE, DONE);
    await Promise.all([ask(model), ask(model)]);
    expect(engine.log).toEqual(['prefill', 'stop', 'prefill', 'stop']);
  });
});

describe('the abort of a run', () => {
  const reason = new Error('stopped');

  test.each([
    ['before the first token', 0],
    ['in the middle of the answer', 1],
  ])('%s ends the proposal at once, and the next request is answered', async (_, when) => {
    const abort = new AbortController();
    const { engine, model } = modelOf({ ...DONE, before: (at) => at === when && abort.abort(reason) }, DONE);
    await expect(ask(model, {}, abort.signal)).rejects.toBe(reason);
    expect(await ask(model)).toMatchObject({ finish: 'stop' });
    expect(engine.log).toEqual(['prefill', 'abort', 'prefill', 'stop']);
  });

  test('that waits for the model never asks it, and leaves the answer under way alone', async () => {
    const abort = new AbortController();
    const { engine, model } = modelOf({ ...DONE, before: (at) => at === 1 && abort.abort(reason) });
    const first = ask(model);
    await expect(ask(model, {}, abort.signal)).rejects.toBe(reason);
    expect(await first).toMatchObject({ finish: 'stop' });
    expect(engine.requests).toHaveLength(1);
  });

  test('that has happened already asks nothing of the engine', async () => {
    const { engine, model } = modelOf(DONE);
    await expect(ask(model, {}, AbortSignal.abort(reason))).rejects.toBe(reason);
    expect(engine.requests).toEqual([]);
  });
});

describe('a failure', () => {
  test.each([
    ['ContextWindowSizeExceededError', 'window'],
    ['DeviceLostError', 'failed'],
  ])('%s is told as %s, and its text is shown to the developer only', async (name, fault) => {
    const { model } = modelOf({ ...DONE, fails: engineError(name, 'key 4711') }, DONE);
    const error = await ask(model).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({
      code: 'model_failed',
      retryable: false,
      details: { fault },
      said: `${name}: key 4711`,
    });
    expect((error as Error).message).not.toContain('4711');
    expect(await ask(model)).toMatchObject({ finish: 'stop' });
  });

  test('an answer that another part of the program has interrupted is no answer', async () => {
    const engine: ReturnType<typeof fakeWebLlm> = fakeWebLlm([
      { ...DONE, before: (at) => at === 1 && engine.interruptGenerate() },
    ]);
    const done = ask(fromWebLlm(engine, { model: 'tiny' }));
    await expect(done).rejects.toMatchObject({ retryable: true, details: { fault: 'cut_off' } });
  });

  test('an answer without an end is no answer', async () => {
    const engine = fakeWebLlm([]);
    const completions = { create: async () => [{ choices: [{ delta: { content: '{}' } }] }] as never };
    const done = ask(fromWebLlm({ ...engine, chat: { completions } }, { model: 'tiny' }));
    await expect(done).rejects.toMatchObject({ details: { fault: 'cut_off' } });
  });

  test('an answer that is longer than any proposal is refused, and the engine is stopped', async () => {
    const { engine, model } = modelOf({ pieces: Array.from({ length: 40 }, () => 'x'.repeat(1 << 20)) });
    await expect(ask(model, { maxTokens: 40 })).rejects.toMatchObject({ details: { fault: 'too_long' } });
    expect(engine.log).toEqual(['prefill', 'abort']);
  });
});

test('an engine or an option of the wrong type is refused by its name', () => {
  expect(() => fromWebLlm({} as never, { model: 'm' })).toThrow('engine');
  expect(() => fromWebLlm(fakeWebLlm([]), {} as never)).toThrow('model');
  expect(() => fromWebLlm(fakeWebLlm([]), { model: 'm', temperature: 1 } as never)).toThrow('temperature');
});
