import { describe, expect, test } from 'vitest';
import type { ModelRequest } from '../../../../../workers/api.ts';
import {
  fromWllama,
  type WllamaLike,
  type WllamaRequest,
} from '../../../../../workers/bridges/models/device/wllama.ts';

const request: ModelRequest = {
  messages: [
    { role: 'system', kind: 'opening', content: 'You call tools.' },
    { role: 'user', kind: 'task', content: 'Add.' },
  ],
  dialect: 'xct',
  tools: [],
  proposalSchema: { type: 'object', properties: { done: { type: 'boolean' } }, required: ['done'] },
  maxTokens: 64,
  seed: 7,
};

const piece = (content: string, finish_reason: string | null = null): object => ({
  choices: [{ index: 0, delta: { content }, finish_reason }],
});
const usage = { choices: [], usage: { prompt_tokens: 12, completion_tokens: 5, total_tokens: 17 } };

/** An engine with the rules of wllama 3.8.1: chunks by `onData`, and the signal is looked at between two of them. */
class FakeWllama implements WllamaLike {
  readonly asked: WllamaRequest[] = [];
  busy = 0;
  busiest = 0;
  private readonly chunks: readonly object[];
  private readonly error: unknown;

  constructor(chunks: readonly object[], error?: unknown) {
    this.chunks = chunks;
    this.error = error;
  }
  isModelLoaded(): boolean {
    return true;
  }
  getLoadedContextInfo() {
    return { n_ctx: 4096, n_vocab: 32_000 };
  }
  async createChatCompletion(options: WllamaRequest): Promise<void> {
    this.asked.push(options);
    this.busiest = Math.max(this.busiest, ++this.busy);
    try {
      for (const chunk of this.chunks) {
        await new Promise((resolve) => setTimeout(resolve));
        if (options.abortSignal.aborted) throw Object.assign(new Error('Operation aborted'), { name: 'AbortError' });
        options.onData(chunk);
      }
      if (this.error !== undefined) throw this.error as Error;
    } finally {
      this.busy--;
    }
  }
}

const going = (): AbortSignal => new AbortController().signal;
const whole = [piece('{"done"'), piece(':true}'), piece('', 'stop'), usage];

describe('a model of wllama', () => {
  test('a proposal is asked with the form, the bounds and the messages of the request', async () => {
    const engine = new FakeWllama(whole);
    const model = fromWllama(engine, { id: 'tiny', body: { temperature: 0, max_tokens: 1 } });
    await model.propose(request, { signal: going() });
    expect(engine.asked[0]).toMatchObject({
      messages: [
        { role: 'system', content: 'You call tools.' },
        { role: 'user', content: 'Add.' },
      ],
      max_tokens: 64,
      seed: 7,
      temperature: 0,
      stream: true,
      response_format: { type: 'json_schema', json_schema: { strict: true, schema: { required: ['done'] } } },
    });
  });

  test('the text is told in pieces, and answered whole with the tokens and the end', async () => {
    const told: string[] = [];
    const model = fromWllama(new FakeWllama(whole), { id: 'tiny' });
    const answer = await model.propose(request, { signal: going(), onText: (text) => void told.push(text) });
    expect(told).toEqual(['{"done"', ':true}']);
    expect(answer).toEqual({ text: '{"done":true}', usage: { input: 12, output: 5 }, finish: 'stop' });
  });

  test('the model is local and has the room of its context', () => {
    expect(fromWllama(new FakeWllama([]), { id: 'tiny' })).toMatchObject({
      id: 'tiny',
      name: 'tiny',
      locality: { kind: 'local' },
      window: { contextBytes: 3072, maxTokens: 1024 },
    });
  });

  test('a vocabulary of characters counts a byte for a token', () => {
    const engine = Object.assign(new FakeWllama([]), { getLoadedContextInfo: () => ({ n_ctx: 1024, n_vocab: 354 }) });
    expect(fromWllama(engine, { id: 'tiny' }).window).toEqual({ contextBytes: 384, maxTokens: 256 });
  });

  test('a window of the program replaces the one of the model, and a model that is not loaded has none', () => {
    const window = { contextBytes: 500 };
    expect(fromWllama(new FakeWllama([]), { id: 'tiny', window }).window).toEqual(window);
    const unloaded = Object.assign(new FakeWllama([]), { isModelLoaded: () => false });
    expect(fromWllama(unloaded, { id: 'tiny' }).window).toBeUndefined();
  });

  test('a model whose engine has no context for it is not loaded', () => {
    const engine = Object.assign(new FakeWllama([]), { getLoadedContextInfo: () => ({ n_ctx: 0, n_vocab: 0 }) });
    expect(() => fromWllama(engine, { id: 'tiny' })).toThrow(
      expect.objectContaining({ code: 'model_failed', details: { fault: 'not_loaded' } }),
    );
  });

  test('without a form no schema is sent', async () => {
    const engine = new FakeWllama(whole);
    await fromWllama(engine, { id: 'tiny', responseFormat: 'none' }).propose(request, { signal: going() });
    expect(engine.asked[0]).not.toHaveProperty('response_format');
  });

  test('two proposals wait for each other', async () => {
    const engine = new FakeWllama(whole);
    const model = fromWllama(engine, { id: 'tiny' });
    await Promise.all([model.propose(request, { signal: going() }), model.propose(request, { signal: going() })]);
    expect(engine.asked).toHaveLength(2);
    expect(engine.busiest).toBe(1);
  });

  test('an aborted proposal rejects with the reason of its signal, and the next one is answered', async () => {
    const stop = new AbortController();
    const engine = new FakeWllama(whole);
    const model = fromWllama(engine, { id: 'tiny' });
    const reason = new Error('enough');
    const aborted = model.propose(request, { signal: stop.signal, onText: () => stop.abort(reason) });
    const next = model.propose(request, { signal: going() });
    await expect(aborted).rejects.toBe(reason);
    expect(await next).toMatchObject({ text: '{"done":true}' });
  });

  test('a proposal that is aborted while it waits is not asked', async () => {
    const stop = new AbortController();
    const engine = new FakeWllama(whole);
    const model = fromWllama(engine, { id: 'tiny' });
    const first = model.propose(request, { signal: going() });
    const waiting = model.propose(request, { signal: stop.signal });
    stop.abort();
    await expect(waiting).rejects.toMatchObject({ name: 'AbortError' });
    await first;
    await model.propose(request, { signal: going() });
    expect(engine.asked).toHaveLength(2);
  });

  test('an answer that reaches the bound says so', async () => {
    const model = fromWllama(new FakeWllama([piece('{"do'), piece('', 'length')]), { id: 'tiny' });
    expect(await model.propose(request, { signal: going() })).toMatchObject({ text: '{"do', finish: 'length' });
  });
});

/** An error as wllama throws it. */
const wllamaError = (message: string, type: string): Error => Object.assign(new Error(message), { type });

test.each([
  ['no model', wllamaError('loadModel() is not yet called', 'model_not_loaded'), 'not_loaded'],
  ['a full cache', wllamaError('full', 'kv_cache_full'), 'context'],
  [
    'a long request',
    wllamaError('request (2000 tokens) exceeds the available context size (1024 tokens)', 'inference_error'),
    'context',
  ],
  ['a crash', Object.assign(new Error('(ABORT) out of memory'), { name: 'RuntimeError' }), 'crashed'],
  ['an engine that has crashed before', 'wllama has crashed, please reload the module', 'crashed'],
  ['a refused grammar', wllamaError('Model failed to start inference', 'inference_error'), 'refused'],
])('an engine with %s fails with a ModelError', async (_, error, fault) => {
  const model = fromWllama(new FakeWllama([], error), { id: 'tiny' });
  await expect(model.propose(request, { signal: going() })).rejects.toMatchObject({
    code: 'model_failed',
    retryable: false,
    details: { fault },
  });
});

test('an answer without an end is cut off', async () => {
  const model = fromWllama(new FakeWllama([piece('{"done":true}')]), { id: 'tiny' });
  await expect(model.propose(request, { signal: going() })).rejects.toMatchObject({ details: { fault: 'cut_off' } });
});

test.each([
  ['no id', {}],
  ['a misspelt option', { id: 'tiny', windows: {} }],
  ['an unknown form', { id: 'tiny', responseFormat: 'json_object' }],
])('a model of wllama with %s is refused', (_, options) => {
  expect(() => fromWllama(new FakeWllama([]), options as never)).toThrow(
    expect.objectContaining({ code: 'option_invalid' }),
  );
});
