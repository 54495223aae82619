import { describe, expect, test } from 'vitest';
import { ModelError } from '../../../../../core/model-error.ts';
import type { ModelPort, ModelRequest } from '../../../../../workers/api.ts';
import { fromSmallModel } from '../../../../../workers/bridges/models/small/small-model.ts';
import { object, request, SAID, saidBy, TASKS } from '../../../../small-model/said.ts';
import { shippedWeights } from '../../../../small-model/weights.ts';

const weights = await shippedWeights();
const io = { signal: new AbortController().signal };
describe('a small model', () => {
  test('proposes a call that copies from the task', async () => {
    const { text } = await fromSmallModel(weights).propose(request('note milk: buy two pints'), io);
    expect(JSON.parse(String(text))).toMatchObject({
      next_step: { tool: 'notes.put', arguments: { name: 'milk', text: 'buy two pints' } },
    });
  });

  test('says the same tokens in every engine', async () => {
    const model = (seed?: number): ModelPort => fromSmallModel(weights, { ...(seed !== undefined && { seed }) });
    expect(await saidBy((seed) => Promise.resolve(model(seed)))).toBe(SAID);
  });

  test('says the same whether it has read the beginning before or not', async () => {
    const model = fromSmallModel(weights);
    const before = await model.propose(request('What is 17 + 25?'), io);
    await model.propose(request('What is 17 + 99, and then?'), io);
    expect(await model.propose(request('What is 17 + 25?'), io)).toEqual(before);
  });

  test('says the text in pieces, and counts its tokens', async () => {
    const pieces: string[] = [];
    const said = await fromSmallModel(weights).propose(request('What is 17 + 25?'), {
      ...io,
      onText: (text) => pieces.push(text),
    });
    expect(pieces.join('')).toBe(said.text);
    expect(said).toMatchObject({ finish: 'stop', usage: { input: 19, output: pieces.length + 1 } });
  });

  test('ends a proposal at the tokens of the request', async () => {
    const said = await fromSmallModel(weights).propose(request('What is 17 + 25?', { maxTokens: 3 }), io);
    expect(said).toMatchObject({ finish: 'length', usage: { output: 3 } });
  });

  test('keeps to the schema of the request, and without the constraint it does not', async () => {
    const only = object({ next_step: object({ tool: { const: 'never.heard' } }) });
    const other = request('What is 17 + 25?', { proposalSchema: only as ModelRequest['proposalSchema'] });
    const { text } = await fromSmallModel(weights).propose(other, io);
    expect(text).toBe('{"next_step":{"tool":"never.heard"}}');
    const free = await fromSmallModel(weights, { constrained: false }).propose(other, io);
    expect(free.text).not.toBe(text);
  });

  test('stops when it is aborted, and proposes again', async () => {
    const model = fromSmallModel(weights);
    const stop = new AbortController();
    const stopped = model.propose(request('What is 17 + 25?'), {
      signal: stop.signal,
      onText: () => stop.abort(new Error('enough')),
    });
    await expect(stopped).rejects.toThrow('enough');
    const said = await model.propose(request('What is 17 + 25?'), io);
    expect(said).toEqual(await fromSmallModel(weights).propose(request('What is 17 + 25?'), io));
  });

  test('answers two runs at once, each as if it were alone', async () => {
    const model = fromSmallModel(weights);
    const both = await Promise.all(TASKS.map((task) => model.propose(request(task), io)));
    for (const [at, task] of TASKS.entries()) {
      expect(both[at]).toEqual(await fromSmallModel(weights).propose(request(task), io));
    }
  });

  test('is local, and refuses a dialect that it was not trained on', async () => {
    const model = fromSmallModel(weights, { id: 'mine' });
    expect(model).toMatchObject({ id: 'mine', locality: { kind: 'local' } });
    const said = model.propose(request('What is 17 + 25?', { dialect: 'catalytic' }), io);
    await expect(said).rejects.toMatchObject({ code: 'model_failed', details: { fault: 'dialect' } });
  });
});

describe('a file of weights', () => {
  const faultOf = (bytes: Uint8Array): unknown => {
    try {
      fromSmallModel(bytes);
    } catch (error) {
      return error instanceof ModelError ? error.details : error;
    }
    return undefined;
  };
  const changed = (at: number, byte: number): Uint8Array => weights.with(at, byte);

  test('is at most a megabyte', () => {
    expect(weights.length).toBeLessThanOrEqual(1_000_000);
  });

  test('is refused when it is cut anywhere', () => {
    for (const share of [0.999, 0.5, 0.1, 0.01]) {
      expect(faultOf(weights.slice(0, weights.length * share))).toEqual({ fault: 'cut' });
    }
    expect(faultOf(weights.slice(0, 9))).toEqual({ fault: 'cut' });
    expect(faultOf(new Uint8Array())).toEqual({ fault: 'not_small_model' });
  });

  test('is refused when it is another file, of another version, or damaged', () => {
    expect(faultOf(new TextEncoder().encode('GGUF and more'))).toEqual({ fault: 'not_small_model' });
    expect(faultOf(changed(4, 9))).toEqual({ fault: 'version_unknown' });
    expect(faultOf(changed(20, 0))).toEqual({ fault: 'damaged' });
    expect(faultOf(changed(weights.length - 9, (weights.at(-9) ?? 0) ^ 1))).toEqual({ fault: 'damaged' });
    expect(faultOf(Uint8Array.from([...weights, 0]))).toEqual({ fault: 'damaged' });
  });
});
