import { expect, test } from 'vitest';
import { modelIn, openProposer } from '../../../../web/playground/run/proposer.ts';
import type { ModelPort } from '../../../../workers/api.ts';

const elsewhere = { id: 'openai-compatible:https://models.example/tiny, script or person: 1b' } as ModelPort;

test.each([{}, { scenario: 'shop' }, { origin: 'a sent run' }, { scenario: 'mail', origin: 'https://a.example; b' }])(
  'the model of a run is told from the record that names it: %j',
  (options) => {
    const { port } = openProposer({ script: [], chosen: 'model', elsewhere, ...options });
    expect(modelIn(port.id)).toBe(elsewhere.id);
  },
);

test('another program names its model alone', () => expect(modelIn('counted')).toBe('counted'));

test('a person cancels the request to a model that does not listen, and the run can ask again', async () => {
  const request = { messages: [], tools: [], dialect: 'xct', proposalSchema: {}, maxTokens: 1 } as const;
  const asked: AbortSignal[] = [];
  const model: ModelPort = {
    id: 'deaf',
    propose: (_, { signal }) => {
      asked.push(signal);
      return asked.length === 1 ? new Promise(() => undefined) : Promise.resolve({ text: 'heard' });
    },
  };
  const proposer = openProposer({ script: [], chosen: 'model', elsewhere: model });
  const first = proposer.port.propose(request, { signal: new AbortController().signal });
  expect(proposer.saying.value).toBe('');
  proposer.cancel();
  await expect(first).rejects.toMatchObject({ retryable: true, message: expect.stringContaining('cancelled') });
  expect(asked[0]?.aborted).toBe(true);
  expect(proposer.saying.value).toBeUndefined();
  expect(await proposer.port.propose(request, { signal: new AbortController().signal })).toEqual({ text: 'heard' });
});
