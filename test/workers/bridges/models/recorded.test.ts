import { expect, test } from 'vitest';
import type { ModelRequest } from '../../../../workers/api.ts';
import { fromRecording, recording, requestHash } from '../../../../workers/bridges/models/recorded.ts';
import { fromScript } from '../../../../workers/bridges/models/script.ts';

const io = { signal: new AbortController().signal };
const request = (content: string, more: Partial<ModelRequest> = {}): ModelRequest => ({
  messages: [{ role: 'user', kind: 'task', content }],
  dialect: 'xct',
  tools: [],
  proposalSchema: { type: 'object' },
  maxTokens: 8,
  ...more,
});

const HALF = Uint8Array.of(0x7b, 0xff);

test('a recording gives its answers again, byte for byte', async () => {
  const { port, answers } = recording(fromScript(['{"a":1}', '😀', HALF], 'tiny'));
  const said: unknown[] = [];
  for (const content of ['one', 'two', 'three']) said.push((await port.propose(request(content), io)).text);
  const stored = JSON.parse(JSON.stringify(answers)) as typeof answers;
  const again = fromRecording(stored);
  for (const [index, content] of ['one', 'two', 'three'].entries()) {
    expect((await again.propose(request(content), io)).text).toEqual(said[index]);
  }
  expect(said[2]).toEqual(HALF);
  expect(port.id).toBe('tiny');
});

test.each<[string, ModelRequest]>([
  ['other words', request('two')],
  ['another schema', request('one', { proposalSchema: { type: 'array' } })],
  ['another bound', request('one', { maxTokens: 9 })],
  ['a seed', request('one', { seed: 0 })],
  [
    'one message more',
    { ...request('one'), messages: [...request('one').messages, { role: 'user', kind: 'observation', content: '' }] },
  ],
])('a recording refuses to answer a request with %s', async (_, other) => {
  const port = fromRecording([{ request_hash: requestHash(request('one')), text: '{}' }]);
  await expect(port.propose(other, io)).rejects.toMatchObject({ code: 'recording_differs', details: { request: 1 } });
});

test('a recording fails with model_exhausted behind its last answer', async () => {
  const port = fromRecording([{ request_hash: requestHash(request('one')), text: '{}' }]);
  await port.propose(request('one'), io);
  await expect(port.propose(request('one'), io)).rejects.toMatchObject({ code: 'model_exhausted' });
});

test('a recorder stores no answer for a request that failed', async () => {
  const { port, answers } = recording(fromScript([]));
  await expect(port.propose(request('one'), io)).rejects.toThrow();
  expect(answers).toEqual([]);
});

test('a recording whose bytes are not hex is refused', async () => {
  const port = fromRecording([{ request_hash: requestHash(request('one')), hex: 'xy' }]);
  await expect(port.propose(request('one'), io)).rejects.toMatchObject({ code: 'recording_malformed' });
});

test('requestHash ignores the order of members, and refuses a lone surrogate', () => {
  const { messages, dialect, tools, proposalSchema, maxTokens } = request('one');
  expect(requestHash({ maxTokens, tools, proposalSchema, dialect, messages })).toBe(requestHash(request('one')));
  expect(() => requestHash(request('\ud800'))).toThrow(expect.objectContaining({ code: 'lone_surrogate' }));
});
