import { afterEach, describe, expect, test } from 'vitest';
import { ModelError, SallyportError } from '../../../core/index.ts';
import { connectModel } from '../../../web/model-port.ts';
import type { ModelPort, ModelRequest } from '../../../workers/api.ts';
import type { ModelMaker } from '../../../workers/bridges/models/device/messages.ts';
import { serveAt } from '../../../workers/bridges/models/device/serve-model.ts';

const request: ModelRequest = {
  messages: [{ role: 'user', kind: 'task', content: 'Add.' }],
  dialect: 'xct',
  tools: [],
  proposalSchema: {},
  maxTokens: 8,
};

const said: ModelPort = {
  id: 'said',
  provider: 'test',
  locality: { kind: 'local' },
  window: { contextBytes: 100 },
  async propose({ messages }, { onText }) {
    for (const piece of ['{"done"', ':true}']) onText?.(piece);
    return { text: `{"done":true}${messages.length}`, usage: { input: 3, output: 2 }, finish: 'stop' };
  },
};

/** A model that answers when its signal aborts, and tells that it did. */
function patient(): ModelPort & { readonly stopped: Promise<void> } {
  let stop = (): void => undefined;
  const stopped = new Promise<void>((resolve) => (stop = resolve));
  const propose: ModelPort['propose'] = (_, { signal, onText }) =>
    new Promise((_, reject) => {
      onText?.('{');
      signal.addEventListener('abort', () => (stop(), reject(signal.reason)));
    });
  return { id: 'patient', stopped, propose };
}

const open: MessagePort[] = [];
afterEach(() => {
  for (const port of open.splice(0)) port.close();
});

function connect(make: ModelMaker, broken: AbortSignal = new AbortController().signal): Promise<ModelPort> {
  const { port1, port2 } = new MessageChannel();
  open.push(port1, port2);
  serveAt(port1, make);
  return connectModel(port2, { assets: 'x/' }, broken);
}

const going = (): AbortSignal => new AbortController().signal;

describe('a model behind a port', () => {
  test('the page sees the members of the model, and its text in pieces and whole', async () => {
    const model = await connect(() => said);
    const { propose: _, ...members } = model;
    expect(members).toEqual({
      id: 'said',
      provider: 'test',
      locality: { kind: 'local' },
      window: { contextBytes: 100 },
    });
    const told: string[] = [];
    const answer = await model.propose(request, { signal: going(), onText: (text) => void told.push(text) });
    expect(told).toEqual(['{"done"', ':true}']);
    expect(answer).toEqual({ text: '{"done":true}1', usage: { input: 3, output: 2 }, finish: 'stop' });
  });

  test('the maker gets the options of the page, a single time', async () => {
    const given: unknown[] = [];
    const { port1, port2 } = new MessageChannel();
    open.push(port1, port2);
    serveAt(port1, (options) => (given.push(options), said));
    const model = await connectModel(port2, { assets: 'x/', data: 7 }, going());
    port2.postMessage({ kind: 'open', options: { data: 8 } });
    port2.postMessage({ kind: 'eval', source: '1' });
    await model.propose(request, { signal: going() }); // answered after the messages before it
    expect(given).toEqual([{ assets: 'x/', data: 7 }]);
  });

  test('an abort ends a proposal with the reason of its signal, and reaches the model', async () => {
    const waiting = patient();
    const model = await connect(() => waiting);
    const stop = new AbortController();
    const answer = model.propose(request, { signal: stop.signal, onText: () => stop.abort(new Error('enough')) });
    await expect(answer).rejects.toThrow('enough');
    await waiting.stopped;
    await expect(model.propose(request, { signal: AbortSignal.abort(new Error('before')) })).rejects.toThrow('before');
  });

  test('a failure crosses the port with its code, its details and its terms', async () => {
    const failure = new ModelError('Full.', { retryable: true, afterMs: 5, said: 'kv cache' }, { fault: 'context' });
    const model = await connect(() => ({ id: 'full', propose: () => Promise.reject(failure) }));
    const error: unknown = await model.propose(request, { signal: going() }).catch((found: unknown) => found);
    expect(error).toBeInstanceOf(ModelError);
    expect(error).toMatchObject({
      code: 'model_failed',
      message: 'Full.',
      retryable: true,
      afterMs: 5,
      said: 'kv cache',
      details: { fault: 'context' },
    });
  });

  test('an error of the maker rejects the opening, with its code where it has one', async () => {
    const refused = new SallyportError('option_invalid', 'No file.', {});
    await expect(connect(() => Promise.reject(refused))).rejects.toMatchObject({ code: 'option_invalid' });
    await expect(connect(() => Promise.reject(new RangeError('memory')))).rejects.toMatchObject({ name: 'RangeError' });
  });

  test('a worker that ends fails the opening and every proposal with model_failed', async () => {
    const end = new AbortController();
    const model = await connect(patient, end.signal);
    const answer = model.propose(request, { signal: going(), onText: () => end.abort('it was closed') });
    await expect(answer).rejects.toMatchObject({ code: 'model_failed', retryable: false, said: 'it was closed' });
    await expect(model.propose(request, { signal: going() })).rejects.toMatchObject({ code: 'model_failed' });
    await expect(connect(() => new Promise<never>(() => undefined), AbortSignal.abort('gone'))).rejects.toMatchObject({
      code: 'model_failed',
    });
  });
});
