/// <reference types="dom-chromium-ai" />
import { describe, expect, test } from 'vitest';
import type { ModelMessage, ModelRequest } from '../../../../../workers/api.ts';
import { fromPromptApi, type PromptApiPort } from '../../../../../workers/bridges/models/device/prompt-api.ts';
import type { PromptApi } from '../../../../../workers/bridges/models/device/prompt-types.ts';
import { fakePromptApi, type PromptAnswer, type PromptRules } from './language-model.ts';

// A fake keeps the rules of the specification: the browsers of these tests have the interface at most, and no model.

const CALL = '{"next_step":{"tool":"add","arguments":{"a":1,"b":2}}}';
const DONE = '{"done":true,"message":"3"}';
const OPENING: ModelMessage = { role: 'system', kind: 'opening', content: 'Propose in JSON.' };
const TASK: ModelMessage = { role: 'user', kind: 'task', content: 'Add 1 and 2.' };
const CALLED: ModelMessage = { role: 'assistant', kind: 'proposal', content: CALL };
const observed = (content: string): ModelMessage => ({ role: 'user', kind: 'observation', content });

function requestOf(messages: readonly ModelMessage[], more: Partial<ModelRequest> = {}): ModelRequest {
  const common = { dialect: 'xct', tools: [], proposalSchema: { type: 'object' }, maxTokens: 99 } as const;
  return { messages, ...common, ...more };
}

const never = (): AbortSignal => new AbortController().signal;
const ask = (model: PromptApiPort, messages: readonly ModelMessage[], more?: Partial<ModelRequest>) =>
  model.propose(requestOf(messages, more), { signal: never() });

function modelOf(answers: readonly PromptAnswer[], rules?: PromptRules) {
  const api = fakePromptApi(answers, rules);
  return { api, model: fromPromptApi({ api }) };
}

test("the browser's interface has the members that the adapter uses", () => {
  const typed = (api: typeof LanguageModel): PromptApi => api;
  expect(typed).toBeTypeOf('function');
});

describe('sessions', () => {
  test('a session is kept while each request begins with what it has heard', async () => {
    const { api, model } = modelOf([CALL, DONE]);
    expect(await ask(model, [OPENING, TASK])).toMatchObject({ text: CALL, finish: 'stop' });
    expect(await ask(model, [OPENING, TASK, CALLED, observed('3')])).toMatchObject({ text: DONE });
    expect(api.log).toEqual(['create system', 'prompt user', 'prompt user']);
  });

  test('a request with another beginning gets a session of its own, and two runs keep theirs', async () => {
    const { api, model } = modelOf([CALL, CALL, DONE, DONE]);
    const other = { ...TASK, content: 'Add 3 and 4.' };
    await ask(model, [OPENING, TASK]);
    await ask(model, [OPENING, other]);
    await ask(model, [OPENING, TASK, CALLED, observed('3')]);
    await ask(model, [OPENING, other, CALLED, observed('7')]);
    expect(api.log.filter((line) => line !== 'prompt user')).toEqual(['create system', 'create system']);
  });

  test('of three runs the session of the oldest proposal is ended', async () => {
    const { api, model } = modelOf([CALL, CALL, CALL]);
    for (const content of ['a', 'b', 'c']) await ask(model, [OPENING, { ...TASK, content }]);
    expect(api.open()).toBe(2);
    expect(api.log.filter((line) => line === 'destroy')).toHaveLength(1);
  });

  test('a request that says a heard message otherwise never meets the session that heard it', async () => {
    const { api, model } = modelOf([CALL, DONE]);
    await ask(model, [OPENING, TASK]);
    await ask(model, [OPENING, TASK, { ...CALLED, content: `${CALL} ` }, observed('3')]);
    expect(api.log).toEqual(['create system', 'prompt user', 'create system', 'prompt user assistant user']);
  });

  test('close ends the sessions that are kept', async () => {
    const { api, model } = modelOf([CALL]);
    await ask(model, [OPENING, TASK]);
    model.close();
    expect(api.open()).toBe(0);
  });
});

describe('an answer', () => {
  test('reaches the gate unchanged, and is told in pieces', async () => {
    const said = ' {"done":true,"done":true} {';
    const { model } = modelOf([said]);
    const pieces: string[] = [];
    const io = { signal: never(), onText: (text: string) => void pieces.push(text) };
    const { text, usage } = await model.propose(requestOf([OPENING, TASK]), io);
    expect(text).toBe(said);
    expect(pieces.join('')).toBe(said);
    expect(pieces.length).toBeGreaterThan(1);
    expect(usage).toEqual({ input: 7, output: 7 });
  });

  test('with half a surrogate pair becomes bytes, which the gate refuses', async () => {
    const { text } = await ask(modelOf(['"\ud800"']).model, [OPENING, TASK]);
    expect(text).toBeInstanceOf(Uint8Array);
  });

  test('is constrained by the schema of the request without the keywords that Chromium does not take', async () => {
    const { api, model } = modelOf([CALL]);
    const form = { type: 'object', properties: { done: { const: true } }, required: ['done'] };
    await ask(model, [OPENING, TASK], { proposalSchema: { ...form, propertyNames: { minLength: 2 } } });
    expect(api.constraints).toEqual([form]);
  });

  test('ends at the tokens of the request, and its session is not used again', async () => {
    const { api, model } = modelOf(['x'.repeat(400), DONE]);
    const { text, finish } = await ask(model, [OPENING, TASK], { maxTokens: 5 });
    expect(finish).toBe('length');
    expect(text).toBe('x'.repeat(20));
    expect(api.open()).toBe(0);
    await ask(model, [OPENING, TASK, { ...CALLED, content: 'x'.repeat(20) }, observed('no')]);
    expect(api.log.filter((line) => line.startsWith('create'))).toHaveLength(2);
  });
});

describe('the window of the model', () => {
  const long = (nth: number): ModelMessage => observed(`${nth}`.repeat(200));

  test('is known after the first session', async () => {
    const { model } = modelOf([CALL], { contextWindow: 800 });
    expect(model.window).toBeUndefined();
    await ask(model, [OPENING, TASK]);
    expect(model.window).toEqual({ contextBytes: 800 });
  });

  test('loses the oldest messages, and keeps the instructions, the task and the newest reply', async () => {
    const { api, model } = modelOf([DONE], { contextWindow: 200 });
    await ask(model, [OPENING, TASK, CALLED, long(1), CALLED, long(2), CALLED, long(3)]);
    expect(api.log).toEqual(['create system', 'prompt user assistant user assistant user']);
  });

  test('that a kept session has filled makes the adapter begin another', async () => {
    const { api, model } = modelOf([CALL, CALL, DONE], { contextWindow: 160 });
    const messages = [OPENING, TASK];
    for (const nth of [1, 2, 3]) {
      await ask(model, messages);
      messages.push(CALLED, long(nth));
    }
    expect(api.log.filter((line) => line.startsWith('create')).length).toBeGreaterThan(1);
    expect(api.log).not.toContain('overflow');
    expect(api.open()).toBe(1);
  });

  test('that is too small for the task ends the run: the same request would fail again', async () => {
    const { api, model } = modelOf([DONE], { contextWindow: 60 });
    const error = await ask(model, [OPENING, TASK, CALLED, long(1)]).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: 'model_failed', retryable: false, details: { fault: 'window' } });
    expect(api.open()).toBe(0);
  });
});

describe('an abort', () => {
  test('ends a proposal at once with its reason, and ends the session', async () => {
    const { api, model } = modelOf([{ begins: CALL }, DONE]);
    const abort = new AbortController();
    const reason = new Error('stopped');
    const proposed = model.propose(requestOf([OPENING, TASK]), {
      signal: abort.signal,
      onText: () => abort.abort(reason),
    });
    await expect(proposed).rejects.toBe(reason);
    expect(api.open()).toBe(0);
    expect(await ask(model, [OPENING, TASK])).toMatchObject({ text: DONE });
  });

  test('before a proposal asks nothing of the browser', async () => {
    const { api, model } = modelOf([CALL]);
    const reason = new Error('stopped');
    await expect(model.propose(requestOf([OPENING, TASK]), { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    expect(api.log).toEqual([]);
  });

  test('of an earlier proposal leaves the session of a later one open', async () => {
    const { api, model } = modelOf([CALL, DONE]);
    const abort = new AbortController();
    await model.propose(requestOf([OPENING, TASK]), { signal: abort.signal });
    abort.abort();
    await ask(model, [OPENING, TASK, CALLED, observed('3')]);
    expect(api.log).toEqual(['create system', 'prompt user', 'prompt user']);
  });
});

describe('a failure', () => {
  const named = (name: string): Error => new DOMException('key 4711', name);

  test.each([
    ['NotAllowedError', 'not_allowed', false],
    ['NotReadableError', 'filtered', false],
    ['NotSupportedError', 'not_supported', false],
    ['NetworkError', 'download', true],
    ['QuotaExceededError', 'window', false],
    ['InvalidStateError', 'ended', true],
    ['AbortError', 'ended', true],
    ['UnknownError', 'failed', true],
  ])('%s is told as %s, and its text is shown to the developer only', async (name, fault, retryable) => {
    for (const { api, model } of [modelOf([named(name)]), modelOf([CALL], { refusal: named(name) })]) {
      const error = await ask(model, [OPENING, TASK]).catch((reason: unknown) => reason);
      expect(error).toMatchObject({ code: 'model_failed', retryable, details: { fault }, said: `${name}: key 4711` });
      expect((error as Error).message).not.toContain('4711');
      expect(api.open()).toBe(0);
    }
  });

  test('of a session that the browser has ended passes with the next request', async () => {
    const { model } = modelOf([CALL, named('InvalidStateError'), DONE]);
    await ask(model, [OPENING, TASK]);
    const later = [OPENING, TASK, CALLED, observed('3')];
    await expect(ask(model, later)).rejects.toMatchObject({ retryable: true, details: { fault: 'ended' } });
    expect(await ask(model, later)).toMatchObject({ text: DONE });
  });

  test.each([
    ['unavailable', 'unavailable', false],
    ['downloadable', 'not_ready', true],
    ['downloading', 'not_ready', true],
  ] as const)(
    'a model that is %s answers no proposal and starts no download',
    async (availability, fault, retryable) => {
      const { api, model } = modelOf([CALL], { availability });
      await expect(ask(model, [OPENING, TASK])).rejects.toMatchObject({ retryable, details: { fault } });
      expect(api.log).toEqual([]);
    },
  );
});

describe('prepare', () => {
  test('downloads the model after a click, and tells the share', async () => {
    const { api, model } = modelOf([], { availability: 'downloadable', clicked: true, contextWindow: 900 });
    const shares: number[] = [];
    await model.prepare({ onProgress: (share) => shares.push(share) });
    expect(shares).toEqual([0, 0.5, 1]);
    expect(model.window).toEqual({ contextBytes: 900 });
    expect(api.open()).toBe(0);
  });

  test('without a click fails with the fault of the browser', async () => {
    const { model } = modelOf([], { availability: 'downloadable' });
    await expect(model.prepare()).rejects.toMatchObject({ details: { fault: 'not_allowed' } });
  });

  test('is ended by its signal', async () => {
    const { model } = modelOf([], { availability: 'downloadable', clicked: true });
    const abort = new AbortController();
    const reason = new Error('stopped');
    await expect(model.prepare({ signal: abort.signal, onProgress: () => abort.abort(reason) })).rejects.toBe(reason);
  });

  test('where the device has no model fails at once', async () => {
    const { model } = modelOf([], { availability: 'unavailable' });
    await expect(model.prepare()).rejects.toMatchObject({ details: { fault: 'unavailable' } });
  });
});

test('the host of this test says whether it has a model, and a host without the interface refuses with a reason', async () => {
  const model = fromPromptApi();
  const availability = await model.availability();
  expect(['unavailable', 'downloadable', 'downloading', 'available']).toContain(availability);
  if ('LanguageModel' in globalThis) return;
  expect(availability).toBe('unavailable');
  for (const done of [ask(model, [OPENING, TASK]), model.prepare()])
    await expect(done).rejects.toMatchObject({ retryable: false, details: { fault: 'unsupported' } });
});

test('an option of the wrong type is refused by its name', () => {
  expect(() => fromPromptApi({ api: {} as never })).toThrow(expect.objectContaining({ code: 'option_invalid' }));
  expect(() => fromPromptApi({ samplingMode: 'loud' as never })).toThrow('samplingMode');
  expect(() => fromPromptApi({ temperature: 1 } as never)).toThrow('temperature');
});
