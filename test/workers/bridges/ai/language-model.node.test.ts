import { APICallError } from 'ai';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { ModelError } from '../../../../core/model-error.ts';
import { fromLanguageModel, type LanguageModelOptions } from '../../../../workers/ai.ts';
import type { Runtime, StartOptions } from '../../../../workers/api.ts';
import { defineCapability } from '../../../../workers/node.ts';
import { openRuntime } from '../../../runtime/shared.ts';
import { aiModel, callParts, type Item, streamOf, VERSIONS, type Version } from './models.ts';

const ADD = defineCapability({
  ...{ name: 'math.add', version: '1.0.0', description: 'Adds.', effect: 'pure' as const },
  args: {
    type: 'object',
    required: ['a', 'b'],
    additionalProperties: false,
    properties: { a: { type: 'number' }, b: { type: 'number' } },
  },
  source: 'export default ({ a, b }) => a + b;',
});

let runtime: Runtime;
beforeAll(async () => {
  runtime = await openRuntime({ capabilities: [ADD], grants: [{ capability: 'math.add', mode: 'allow' }] });
});
afterAll(() => runtime.close());

type Terms = Partial<LanguageModelOptions> & { readonly version?: Version } & Partial<StartOptions>;

/** A run over a model that gives these answers: its end, its codes, and the requests. */
async function ran(items: readonly Item[], { version = 'v4', ...terms }: Terms = {}) {
  const { mode, providerOptions, onReasoning, ...options } = terms;
  const model = aiModel(version, items);
  const how = {
    ...(mode && { mode }),
    ...(providerOptions && { providerOptions }),
    ...(onReasoning && { onReasoning }),
  };
  const port = fromLanguageModel(model, { origin: 'local', ...how });
  const run = runtime.start({ dialect: 'xct', task: 'Add.', model: port, ...options });
  const end = await run.result;
  const records = await runtime.ledger.records(run.id);
  const proposals = records.flatMap((record) => (record.kind === 'proposal' ? [record.body] : []));
  const text = async (at: number) =>
    new TextDecoder().decode(await runtime.ledger.payload(run.id, proposals[at]?.payload as never));
  const codes = records.flatMap((record) =>
    record.kind === 'receipt' ? [record.body.evidence.reason?.code ?? 'SUCCESS'] : [],
  );
  return { run, end, codes, proposals, text, seen: model.seen };
}

const add = (input: string, id?: string) => ({ name: 'math_add', input, ...(id !== undefined && { id }) });
const DONE = { text: 'It is 5.' } as const;
const json = (proposal: object) => ({ text: JSON.stringify(proposal) });
const NEXT = { next_step: { tool: 'math.add', arguments: { a: 2, b: 3 }, goal: 'add' } } as const;

for (const version of VERSIONS) {
  describe(`a model of the specification ${version}`, () => {
    for (const dialect of ['xct', 'femtoclaw'] as const) {
      test(`calls a capability by the provider's tools, and says the end, in ${dialect}`, async () => {
        const { end, codes, text, seen, proposals } = await ran([{ calls: [add('{"a":2, "b":3}')] }, DONE], {
          version,
          dialect,
        });
        expect(end).toMatchObject({ state: 'completed', message: 'It is 5.' });
        expect(codes).toEqual(['SUCCESS', 'SUCCESS']);
        expect(await text(0)).toContain('{"a":2, "b":3}');
        expect(proposals[0]).toMatchObject({ usage: { input: 11, output: 7 }, finish: 'other' });
        expect(proposals[1]).toMatchObject({ finish: 'stop' });
        expect(seen[0]?.tools).toMatchObject([{ type: 'function', name: 'math_add' }]);
        expect(seen[1]?.prompt.slice(-2)).toEqual([
          {
            role: 'assistant',
            content: [
              { type: 'tool-call', toolCallId: expect.any(String), toolName: 'math_add', input: { a: 2, b: 3 } },
            ],
          },
          {
            role: 'tool',
            content: [
              {
                ...{ type: 'tool-result', toolCallId: expect.any(String), toolName: 'math_add' },
                output: { type: 'text', value: '{"result":5,"status":"success"}' },
              },
            ],
          },
        ]);
      });
    }

    test('refuses a member twice and two calls in one answer, and the model is told', async () => {
      const { codes, seen, end } = await ran(
        [
          { calls: [add('{"a":1,"a":2,"b":3}')] },
          { calls: [add('{"a":1,"b":2}'), add('{"a":3,"b":4}')] },
          { calls: [add('{"a":1,"b":2}')] },
          DONE,
        ],
        { version },
      );
      expect(codes).toEqual(['duplicate_member', 'duplicate_member', 'SUCCESS', 'SUCCESS']);
      expect(end.state).toBe('completed');
      const told = seen.slice(1, 3).map(({ prompt }) => JSON.stringify(prompt.at(-1)));
      expect(told[0]).toContain('appears twice');
      expect(told[1]).toContain('appears twice');
    });

    test('proposes by JSON text, in the wrapper of the schema and without it', async () => {
      const { codes, text, seen } = await ran([json({ proposal: NEXT }), json({ done: true, message: 'Done.' })], {
        version,
        mode: 'json',
      });
      expect(codes).toEqual(['SUCCESS', 'SUCCESS']);
      expect(await text(0)).toBe(JSON.stringify(NEXT));
      expect(seen[0]).toMatchObject({
        responseFormat: { type: 'json', name: 'proposal', schema: { type: 'object', required: ['proposal'] } },
      });
      expect(seen[0]?.tools).toBeUndefined();
    });

    test('tells reasoning apart from text, and proposes without it', async () => {
      const [texts, thoughts]: string[][] = [[], []];
      const { text } = await ran([{ reasoning: 'Two and three are five.', calls: [add('{"a":2,"b":3}')] }, DONE], {
        version,
        onText: (piece) => texts?.push(piece),
        onReasoning: (piece) => thoughts?.push(piece),
      });
      expect(thoughts?.join('')).toBe('Two and three are five.');
      expect(texts?.join('')).toBe('math_add {"a":2,"b":3}It is 5.');
      expect(await text(0)).not.toContain('Two and three');
    });

    test('gives back what its provider demands beside a call: reasoning and signatures', async () => {
      const sealed = { maker: { signature: 'sealed' } };
      const thought = [
        { type: 'reasoning-start', id: 'r' },
        { type: 'reasoning-delta', id: 'r', delta: 'Two and three.' },
        { type: 'reasoning-delta', id: 'r', delta: '', providerMetadata: sealed },
        { type: 'reasoning-end', id: 'r' },
        { type: 'reasoning-start', id: 'empty' },
        { type: 'reasoning-end', id: 'empty' },
      ];
      const call = { type: 'tool-call', toolCallId: 'c', toolName: 'math_add', input: '{"a":2,"b":3}' };
      const parts = [...thought, { ...call, providerMetadata: { maker: { thoughtSignature: 'kept' } } }];
      const { seen, proposals } = await ran(
        [{ parts, finish: 'tool-calls' }, { calls: [add('{"a":1,"b":3}')] }, DONE],
        {
          version,
        },
      );
      const made = (at: number) =>
        seen[at]?.prompt.filter(({ role }) => role === 'assistant').map((one) => one.content);
      const told = [
        { type: 'reasoning', text: 'Two and three.', providerOptions: sealed },
        expect.objectContaining({ type: 'tool-call', providerOptions: { maker: { thoughtSignature: 'kept' } } }),
      ];
      expect(made(1)).toEqual([told]);
      expect(made(2)).toEqual([told, [expect.objectContaining({ type: 'tool-call', input: { a: 1, b: 3 } })]]);
      expect(proposals.map(({ provider_data }) => provider_data !== undefined)).toEqual([true, true, false]);
    });
  });
}

describe('the silence of a model', () => {
  const never = new Promise<never>(() => undefined);
  const say = (parts: readonly { readonly type: string }[]) =>
    new ReadableStream({
      start: (out) => {
        for (const part of parts) out.enqueue(part);
      },
    });
  const finish = { type: 'finish', finishReason: { unified: 'stop' }, usage: {} };
  const delta = { type: 'text-delta', id: 't', delta: 'It is' };

  test.each([
    ['before its first part', () => never, 'The endpoint took too long to answer. (0.02 s)'],
    ['with no part at all', async () => ({ stream: say([]) }), 'The endpoint took too long to answer. (0.02 s)'],
    [
      'in the middle of its answer',
      async () => ({ stream: say([delta]) }),
      'The endpoint fell silent in the middle of its answer. (0.01 s)',
    ],
  ] as const)('%s ends the request, and the run waits', async (_, doStream, message) => {
    const model = { specificationVersion: 'v4', provider: 'p', modelId: 'm', doStream } as never;
    const port = fromLanguageModel(model, { origin: 'local', waitMs: 20, silenceMs: 10 });
    const run = runtime.start({ dialect: 'xct', task: 'Add.', model: port });
    expect(await run.run()).toMatchObject({ message });
    await run.abort('enough');
  });

  test('behind its finish reason ends nothing: the answer is whole', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'], shouldAdvanceTime: false });
    const model = { specificationVersion: 'v4', provider: 'p', modelId: 'm' };
    const port = fromLanguageModel({ ...model, doStream: async () => ({ stream: say([delta, finish]) }) } as never, {
      origin: 'local',
    });
    const answer = port.propose(
      { messages: [], tools: [], dialect: 'xct', proposalSchema: {}, maxTokens: 9 },
      { signal: new AbortController().signal },
    );
    await vi.advanceTimersByTimeAsync(2001);
    vi.useRealTimers();
    expect((await answer).text).toBe('{"done":true,"message":"It is"}');
  });
});

describe('a request', () => {
  test('carries the bound of tokens, the seed and the options of the provider', async () => {
    const { seen } = await ran([DONE], {
      seed: 7,
      limits: { answerTokens: 99 },
      providerOptions: { openai: { store: false } },
    });
    expect(seen[0]).toMatchObject({ maxOutputTokens: 99, seed: 7, providerOptions: { openai: { store: false } } });
  });

  test('has JSON text in the dialect catalytic, and no tools where the run offers none', async () => {
    const { seen } = await ran([new Error('enough')], { dialect: 'catalytic' });
    expect(seen[0]?.tools).toBeUndefined();
    expect(seen[0]?.['responseFormat']).toBeDefined();
    expect((await ran([DONE], { offer: [] })).seen[0]?.tools).toBeUndefined();
  });

  test('has a call as text where its arguments cannot be parsed', async () => {
    const { seen } = await ran([{ calls: [add('{"a":1,')] }, DONE]);
    expect(seen[1]?.prompt.slice(-2).map(({ role }) => role)).toEqual(['assistant', 'user']);
  });
});

describe('an answer', () => {
  test('has the arguments as the pieces spell them, where the provider parses them', async () => {
    const [start, ...rest] = callParts(add('{"a":1,"a":2,"b":3}'), 0);
    const parsed = { ...rest.pop(), input: '{"a":2,"b":3}' } as never;
    const finish = { type: 'finish', finishReason: { unified: 'tool-calls' } };
    const { codes } = await ran([streamOf([start as never, ...rest, parsed, finish]), DONE]);
    expect(codes).toEqual(['duplicate_member', 'SUCCESS']);
  });

  test('takes the end of a call whose pieces are no JSON', async () => {
    const id = 'c0';
    const parts = [
      { type: 'tool-input-start', id, toolName: 'math_add', inputEncoding: 'text' },
      { type: 'tool-input-delta', id, delta: 'two and three' },
      { type: 'tool-call', toolCallId: id, toolName: 'math_add', input: '{"a":2,"b":3}' },
      { type: 'finish', finishReason: { unified: 'tool-calls' } },
    ];
    expect((await ran([streamOf(parts), DONE])).codes).toEqual(['SUCCESS', 'SUCCESS']);
  });

  test('without the end of its call is refused, and has no call that the provider has executed', async () => {
    const cut = callParts(add('{"a":2,"b":3}'), 0).slice(0, 2);
    const own = { type: 'tool-call', toolCallId: 's', toolName: 'web_search', input: '{}', providerExecuted: true };
    const { codes, proposals } = await ran([
      { parts: cut, finish: 'length' },
      { ...DONE, parts: [own] },
    ]);
    expect(codes).toEqual(['json_syntax', 'SUCCESS']);
    expect(proposals[0]?.finish).toBe('length');
  });

  test('of more than sixteen million characters is refused', async () => {
    const long = 'x'.repeat(1 << 20);
    let sent = 0;
    const stream = new ReadableStream({
      pull: (out) => out.enqueue({ type: 'text-delta', id: 't', delta: sent++ < 40 ? long : '' }),
    });
    expect((await ran([stream])).end).toMatchObject({ state: 'failed', code: 'model_failed' });
    expect(sent).toBeLessThan(20);
  });
});

describe('a failure', () => {
  const failed = (terms: Partial<ConstructorParameters<typeof APICallError>[0]>) =>
    new APICallError({ message: 'sk-1', url: 'https://example/v1', requestBodyValues: {}, ...terms });
  const asked = async (item: Item) => {
    const { signal } = new AbortController();
    const request = { messages: [], dialect: 'xct', tools: [], proposalSchema: {}, maxTokens: 1 } as const;
    return fromLanguageModel(aiModel('v4', [item]), { origin: 'local' })
      .propose(request, { signal })
      .catch((error: unknown) => error as ModelError);
  };

  test('of a busy server is to be retried when the server says so, with its text apart', async () => {
    const busy = failed({ statusCode: 429, responseHeaders: { 'Retry-After': '2' }, responseBody: 'queue full' });
    expect(await asked(busy)).toMatchObject({
      ...{ code: 'model_failed', retryable: true, afterMs: 2000, said: 'queue full' },
      message: 'The endpoint answered with an error. (HTTP 429)',
    });
    const soon = failed({ statusCode: 503, responseHeaders: { 'retry-after-ms': '40', 'retry-after': '9' } });
    expect(await asked(soon)).toMatchObject({ retryable: true, afterMs: 40 });
  });

  test('keeps the word of the SDK on whether to retry', async () => {
    expect(await asked(failed({ statusCode: 409 }))).toMatchObject({ retryable: true });
    expect(await asked(failed({ statusCode: 401 }))).toMatchObject({ retryable: false });
    expect(await asked(failed({ isRetryable: true }))).toMatchObject({
      retryable: true,
      details: { fault: 'unreachable' },
    });
    expect(await asked({ parts: [{ type: 'error', error: failed({ statusCode: 500 }) } as never] })).toMatchObject({
      retryable: true,
    });
  });

  test('of the adapter itself is final, and its text is not recorded', async () => {
    const error = Object.assign(new Error('the key is sk-1'), { name: 'AI_LoadAPIKeyError' });
    expect(await asked(error)).toMatchObject({
      ...{ retryable: false, said: 'the key is sk-1' },
      message: 'The language model of the AI SDK failed with AI_LoadAPIKeyError.',
    });
    expect(await asked({ parts: [{ type: 'error', error: { code: 1 } } as never] })).toMatchObject({
      ...{ retryable: false, said: '{"code":1}' },
    });
  });
});

describe('fromLanguageModel', () => {
  test('names the model, its provider and its place', () => {
    const model = aiModel('v3', []);
    expect(fromLanguageModel(model, { origin: 'https://api.example' })).toMatchObject({
      ...{ id: 'ai-sdk:hand.made/m', provider: 'hand', name: 'm' },
      locality: { kind: 'remote', origin: 'https://api.example' },
    });
    expect(fromLanguageModel(model, { origin: 'local', name: 'mine' })).toMatchObject({
      ...{ name: 'mine', locality: { kind: 'local' } },
    });
  });

  test('refuses the id of a gateway, another specification, and an origin that is missing', () => {
    const wrong = (model: unknown, options: unknown) => () => fromLanguageModel(model as never, options as never);
    const here = { origin: 'local' };
    expect(wrong('openai/gpt-5', here)).toThrow(/id of a gateway/);
    expect(wrong('openai/gpt-5', here)).toThrow(expect.objectContaining({ code: 'option_invalid' }));
    expect(wrong({ ...aiModel('v4', []), specificationVersion: 'v1' }, here)).toThrow(/v2, v3 or v4/);
    expect(wrong(aiModel('v4', []), {})).toThrow(/origin/);
    expect(wrong(aiModel('v4', []), { origin: 'local', mode: 'native' })).toThrow(/tools or json/);
  });
});
