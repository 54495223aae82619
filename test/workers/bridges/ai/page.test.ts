import { expect, test } from 'vitest';
import { fromLanguageModel, toolsFor } from '../../../../workers/ai.ts';
import type { ModelPort, ModelRequest, Session } from '../../../../workers/api.ts';
import { rawBytes } from '../../../../workers/client/raw-json.ts';
import { aiModel, type Item, type Said, streamOf, VERSIONS, type Version } from './models.ts';

// The entry in a page and in Node, without a runtime.

const ARGS = { type: 'object', properties: { a: { type: 'number' } }, required: ['a'] } as const;
const REQUEST: ModelRequest = {
  messages: [{ role: 'user', kind: 'task', content: 'Add.' }],
  dialect: 'femtoclaw',
  tools: [{ name: 'math.add', description: 'Adds.', args: ARGS }],
  proposalSchema: { type: 'object' },
  maxTokens: 9,
};

const portOf = (item: Item, version: Version = 'v4'): ModelPort =>
  fromLanguageModel(aiModel(version, [item]), { origin: 'local' });
const proposed = (item: Item, signal: AbortSignal = new AbortController().signal) =>
  portOf(item).propose(REQUEST, { signal });
const twice: Said = { reasoning: 'Hm.', calls: [{ name: 'math_add', input: '{"a":1,"a":2}' }] };

interface StreamPart {
  readonly type: string;
  readonly input?: string;
}

async function partsOf(stream: ReadableStream<StreamPart>): Promise<readonly StreamPart[]> {
  const parts: StreamPart[] = [];
  await stream.pipeTo(new WritableStream({ write: (part) => void parts.push(part) }));
  return parts;
}

test.each(VERSIONS)('the text of a call of a model of %s reaches the proposal unchanged', async (version) => {
  const { text, usage } = await portOf(twice, version).propose(REQUEST, { signal: new AbortController().signal });
  expect(text).toBe('{"tool_call":{"tool":"math.add","args":{"a":1,"a":2}}}');
  expect(usage).toEqual({ input: 11, output: 7 });
});

test('half an answer is no answer, and the failure may pass', async () => {
  const broken = new ReadableStream({ start: (out) => out.error(new TypeError('terminated')) });
  const open = streamOf([{ type: 'text-delta', delta: '{"done":true' } as never]);
  for (const item of [open, broken])
    await expect(proposed(item)).rejects.toMatchObject({ retryable: true, details: { fault: 'cut_off' } });
  for (const finish of ['', ' ', 'null', 'unknown', 'other', 'interrupted'])
    await expect(proposed({ finish })).rejects.toMatchObject({ retryable: true, details: { fault: 'cut_off' } });
  await expect(proposed({ finish: 'error' })).rejects.toMatchObject({
    retryable: true,
    details: { fault: 'reported' },
  });
});

test('the abort of a run ends the answer of a model that does not listen', async () => {
  for (const wait of [Promise.resolve(), new Promise((soon) => setTimeout(soon))]) {
    let cancelled = false;
    const silent = new ReadableStream({ cancel: () => void (cancelled = true) });
    const abort = new AbortController();
    const answer = proposed(silent, abort.signal).catch((error: unknown) => error);
    await wait;
    abort.abort();
    expect(await answer).toBe(abort.signal.reason);
    expect(cancelled).toBe(true);
  }
});

test('the middleware brings the text of a streamed call to the session, and the SDK gets what it can parse', async () => {
  const given: string[] = [];
  const receipt = { run_id: 'r', run_seq: 1, hash: 'h', step_id: 's' };
  const row = { name: 'math.add', description: 'Adds.', args: ARGS };
  const session = {
    tools: async () => [row],
    call: async (_: string, args: unknown) => {
      given.push(new TextDecoder().decode(rawBytes(args)));
      return { ok: true, value: 2, labels: [], receipt };
    },
  } as unknown as Session;
  const sdk = { tool: (made: object) => made, jsonSchema: (schema: object) => schema };
  const { tools, middleware, receipts } = await toolsFor(session, sdk);
  const { stream } = await middleware.wrapStream({
    doStream: () => aiModel('v4', [twice]).doStream({ prompt: [] }),
    params: { tools: [{ name: 'math_add' }] },
  });
  const parts = await partsOf(stream as ReadableStream<StreamPart>);
  expect(parts.find(({ type }) => type === 'tool-call')?.input).toBe('{"unparsed":"{\\"a\\":1,\\"a\\":2}"}');
  expect(await tools['math_add']?.execute({ a: 2 }, { toolCallId: 'c0', messages: [] })).toBe(2);
  expect(given).toEqual(['{"a":1,"a":2}']);
  expect(receipts.get('c0')).toEqual(receipt);
});
