import { expect, test } from 'vitest';
import { openModelWorker, type WorkerModel } from '../../../web/model-worker.ts';
import workerUrl from '../../../workers/bridges/models/small/worker.ts?worker&url';
import { request, SAID, saidBy } from '../../small-model/said.ts';
import { shippedWeights } from '../../small-model/weights.ts';

test('the shipped weights say the same tokens in a locked worker as in the page', async () => {
  const weights = await shippedWeights();
  const opened: WorkerModel[] = [];
  const said = await saidBy(async (seed) => {
    const model = await openModelWorker(workerUrl, { data: { weights, ...(seed !== undefined && { seed }) } });
    opened.push(model);
    return model;
  });
  expect(said).toBe(SAID);
  for (const model of opened) model.close();
});

test('a worker that gets no weights of a small model is not opened', async () => {
  const opened = openModelWorker(workerUrl, { data: { weights: new Uint8Array(20) } });
  await expect(opened).rejects.toMatchObject({ code: 'model_failed' });
});

test('a worker that is closed fails the proposal that is under way', async () => {
  const model = await openModelWorker(workerUrl, { data: { weights: await shippedWeights() } });
  const { signal } = new AbortController();
  const said = model.propose(request('What is 17 + 25?'), { signal });
  model.close();
  await expect(said).rejects.toThrow('answers no more');
});
