import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { LedgerRecord } from '../../../../core/ledger/record.ts';
import type { ModelPort, Runtime, StartOptions } from '../../../../workers/api.ts';
import { fromOpenAI, type OpenAIOptions } from '../../../../workers/bridges/models/openai.ts';
import { openRuntime } from '../../../runtime/shared.ts';
import { serve, type TestServer } from './server.ts';
import { type StrictAnswer, strictBehaviour } from './strict-server.ts';

const CLOSED = { type: 'object', additionalProperties: false } as const;
const capability = (name: string, args: object) => ({
  ...{ name, version: '1.0.0', description: `Is ${name}. ${'x'.repeat(2000)}`, effect: 'pure' as const },
  args: { ...CLOSED, ...args },
  source: 'export default (args) => args;',
});
const ADD = capability('math.add', {
  required: ['a'],
  properties: { a: { oneOf: [{ type: 'integer', minimum: 0 }, { const: 'x' }] }, b: { type: 'number' } },
});
const CAPABILITIES = [
  ADD,
  capability('math_add', {}),
  // a schema with alternatives at its root, recursion, and members that strict mode cannot say
  capability('tree', {
    oneOf: [{ required: ['left'] }, { required: ['any'] }],
    properties: { left: { $ref: '#/$defs/node' }, any: {}, map: { type: 'object' } },
    $defs: { node: { ...CLOSED, properties: { left: { $ref: '#/$defs/node' } } } },
  }),
];

let server: TestServer;
let answers: StrictAnswer[] = [];
let runtime: Runtime;
beforeAll(async () => {
  server = await serve({ v1: (response, request) => strictBehaviour(answers)(response, request) });
  const grants = CAPABILITIES.map(({ name }) => ({ capability: name, mode: 'allow' }) as const);
  runtime = await openRuntime({ capabilities: CAPABILITIES, grants });
});
afterAll(() => server.close());

const model = (options: Partial<OpenAIOptions> = {}): ModelPort =>
  fromOpenAI({ preset: 'openai', baseUrl: `${server.origin}/v1`, model: 'tiny', ...options });

/** The end of a run, the reasons of its receipts, and its requests, over a server that gives these answers. */
async function ran(given: StrictAnswer[], port: ModelPort = model(), options: Partial<StartOptions> = {}) {
  answers = given;
  const before = server.seen.length;
  const run = runtime.start({ dialect: 'xct', task: 'Add.', model: port, ...options });
  const end = await run.result;
  const records = await runtime.ledger.records(run.id);
  const report = await runtime.ledger.check(await runtime.ledger.export(run.id), { replay: true });
  expect(report.checks.filter(({ status }) => status === 'fail')).toEqual([]);
  const requests = server.seen.slice(before).map(({ body }) => JSON.parse(body) as Record<string, never>);
  return { run, end, requests, codes: codesOf(records) };
}

const codesOf = (records: readonly LedgerRecord[]): readonly string[] =>
  records.flatMap((record) => (record.kind === 'receipt' ? [record.body.evidence.reason?.code ?? 'SUCCESS'] : []));

const call = (name: string, args: string) => ({ name, args });

describe.each(['xct', 'femtoclaw'] as const)(
  'calls of tools at a server with the rules of OpenAI, in %s',
  (dialect) => {
    const native = (given: StrictAnswer[], options: Partial<StartOptions> = {}) =>
      ran(given, model(), { dialect, ...options });

    test('a call of a tool is a proposal, and text without a call ends the turn', async () => {
      const said: string[] = [];
      const { run, end, codes, requests } = await native([[call('math_add_2', '{"a": 1}')], 'It is "1".'], {
        onText: (text) => void said.push(text),
      });
      expect(end).toMatchObject({ state: 'completed', message: 'It is "1".', steps: 2 });
      expect(codes).toEqual(['SUCCESS', 'SUCCESS']);
      expect(run.view.tokens).toEqual({ input: 100, output: 10 });
      expect(said.join('')).toBe('math_add_2 {"a": 1}It is "1".');
      expect(requests[0]).toMatchObject({ parallel_tool_calls: false, max_completion_tokens: 1024 });
      expect(requests[0]).not.toHaveProperty('response_format');
      const history = requests[1]?.['messages'] as unknown as Record<string, never>[];
      expect(history.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'tool']);
      expect(history[2]).toMatchObject({
        content: null,
        tool_calls: [{ id: 'call00001', function: { name: 'math_add_2', arguments: '{"a": 1}' } }],
      });
      expect(history[3]).toMatchObject({ tool_call_id: 'call00001', name: 'math_add_2' });
      expect(history[0]?.['content']).not.toContain('JSON');
    });

    test('text beside a call is recorded as its goal, and is not sent again', async () => {
      const { run, codes, requests } = await native([[{ ...call('math_add_2', '{"a":1}'), said: 'I add.' }], 'Done.']);
      expect(codes).toEqual(['SUCCESS', 'SUCCESS']);
      const records = await runtime.ledger.records(run.id);
      const [body] = records.flatMap((record) => (record.kind === 'proposal' ? [record.body] : []));
      const textOf = async (ref?: { readonly sha256: string }) =>
        ref && new TextDecoder().decode(await runtime.ledger.payload(run.id, ref.sha256));
      const goal = await textOf(body?.goal);
      const proposal = JSON.parse((await textOf(body?.payload)) ?? '') as {
        readonly next_step?: { readonly goal: string };
      };
      expect(goal ?? proposal.next_step?.goal).toBe('I add.');
      expect(JSON.stringify(requests[1])).not.toContain('I add.');
    });

    test('arguments that say a member twice are refused', async () => {
      const { codes, requests } = await native([[call('math_add_2', '{"a":1,"a":2}')], 'No.']);
      expect(codes).toEqual(['duplicate_member', 'SUCCESS']);
      expect(JSON.stringify(requests[1])).toContain('appears twice at /a. ');
      expect(JSON.stringify(requests[1])).toContain('{\\"a\\":1,\\"a\\":2}');
    });

    test('two calls in one answer are refused with a reply that the model can follow', async () => {
      const both = [call('math_add_2', '{"a":1}'), call('math_add', '{}')];
      const { codes, requests } = await native([both, [call('math_add', '{}')], 'Done.']);
      expect(codes).toEqual(['duplicate_member', 'SUCCESS', 'SUCCESS']);
      const history = requests[1]?.['messages'] as unknown as { role: string; content: string }[];
      expect(history.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'user']);
      expect(history[3]?.content).toContain('appears twice');
    });

    test.each([
      ['a tool that is not offered', 'rm_rf', '{}', 'unknown_capability'],
      ['arguments that break off', 'math_add_2', '{"a":', 'json_syntax'],
      ['arguments of a wrong type', 'math_add_2', '{"a":"y"}', 'arguments_schema'],
    ])('a call with %s is refused', async (_, name, args, code) => {
      expect((await native([[call(name, args)], 'No.'])).codes).toEqual([code, 'SUCCESS']);
    });

    test('an empty answer is refused, and does not end the turn', async () => {
      const { codes, end } = await native(['', 'Done.']);
      expect(codes).toEqual(['json_syntax', 'SUCCESS']);
      expect(end.message).toBe('Done.');
    });

    test('a run that offers no tool asks without tools', async () => {
      const { requests, end } = await native(['Hello.'], { offer: [] });
      expect(requests[0]).not.toHaveProperty('tools');
      expect(requests[0]).not.toHaveProperty('parallel_tool_calls');
      expect(end.state).toBe('completed');
    });

    test('a history that is cut between a call and its answer tells the answer as text', async () => {
      const long = [call('math_add', '{}')];
      const { requests, end } = await native([...Array.from({ length: 20 }, () => long), 'Done.'], {
        limits: { contextBytes: 1024, refusalsInRow: 99 },
      });
      expect(end.state).toBe('completed');
      const roles = requests.map(({ messages }) =>
        (messages as unknown as { role: string }[]).map(({ role }) => role).join(),
      );
      expect(roles.at(-1)).toMatch(/^system,user,(user|assistant,tool)/);
    });
  },
);

test('a message that was cut off is refused', async () => {
  const cut = { choices: [{ index: 0, message: { content: 'It is' }, finish_reason: 'length' }] };
  const whole = { choices: [{ index: 0, message: { content: 'It is 1.' }, finish_reason: 'stop' }] };
  const replies = [cut, whole];
  const fetch = async () => Response.json(replies.shift());
  const port = fromOpenAI({ preset: 'openai', model: 'tiny', fetch });
  const { codes, end } = await ran([], { ...port, locality: { kind: 'local' } });
  expect(codes).toEqual(['json_syntax', 'SUCCESS']);
  expect(end.message).toBe('It is 1.');
});

test('a catalytic run is asked for JSON text', async () => {
  const done = {
    ...{ intent: 'End.', refs: [], ops: [], required_outputs: [] },
    budgets: { max_symbols: 0, max_sections: 0, max_bytes_expanded: 0, max_expands_per_step: 0 },
  };
  const { end, requests } = await ran([JSON.stringify({ proposal: done })], model(), { dialect: 'catalytic' });
  expect(end.state).toBe('completed');
  expect(requests[0]).toHaveProperty('response_format');
  expect(requests[0]).not.toHaveProperty('tools');
});

test('a preset of a local server sends a schema that its decoder takes, and the window of the model', async () => {
  const bodies: string[] = [];
  const fetch = async (_: unknown, init?: RequestInit) => {
    bodies.push(String(init?.body));
    return Response.json({ choices: [{ message: { content: '{"done":true,"message":"x"}' } }] });
  };
  const window = { contextBytes: 1500, maxTokens: 64 };
  const local = fromOpenAI({
    preset: 'llama.cpp',
    model: 'tiny',
    body: { temperature: 0, model: 'other' },
    window,
    fetch,
  });
  expect(local).toMatchObject({ provider: 'llama.cpp', name: 'tiny', locality: { kind: 'local' }, window });
  expect((await ran([], local)).end.state).toBe('completed');
  expect(JSON.parse(bodies[0] ?? '')).toMatchObject({ model: 'tiny', temperature: 0, max_tokens: 64, stream: true });
  expect(bodies[0]).toContain('"json_schema"');
  expect(bodies[0]).not.toMatch(/"\$ref"|"oneOf"/);
});

test.each([
  ['mistral', ['seed', 'stream_options']],
  ['google', ['seed', 'parallel_tool_calls']],
] as const)('the preset %s leaves out what its server refuses', async (preset, left) => {
  const bodies: object[] = [];
  const fetch = async (_: unknown, init?: RequestInit) => {
    bodies.push(JSON.parse(String(init?.body)) as object);
    return Response.json({ choices: [{ message: { content: 'x' } }] });
  };
  await ran([], { ...fromOpenAI({ preset, model: 'm', fetch }), locality: { kind: 'local' } }, { seed: 1 });
  for (const name of left) expect(bodies[0]).not.toHaveProperty(name);
  expect(bodies[0]).toHaveProperty('tools');
});

test('options of a wrong type are refused, and so is a server without an address', () => {
  const given = (options: object) => () => fromOpenAI({ model: 'm', ...options });
  expect(given({})).toThrow(
    expect.objectContaining({ code: 'option_invalid', details: expect.objectContaining({ name: 'baseUrl' }) }),
  );
  expect(given({ preset: 'else' })).toThrow(expect.objectContaining({ code: 'option_invalid' }));
  expect(given({ preset: 'ollama', tools: 'both' })).toThrow(expect.objectContaining({ code: 'option_invalid' }));
});

describe('JSON answers at a server with the rules of OpenAI', () => {
  const json = (responseFormat: OpenAIOptions['responseFormat']) =>
    model({ tools: 'json', ...(responseFormat && { responseFormat }) });
  const next = (args: string) => `{"next_step":{"tool":"math.add","arguments":${args},"goal":"g"}}`;
  const done = '{"done":true,"message":"x"}';

  test('a schema in the form of strict mode is taken, and its wrapper is taken off', async () => {
    const twice = `{"proposal":${next('{"a":1,"a":2}')}}`;
    const all = [twice, `{"proposal": ${next('{"a":1}')} }`, next('{"a":2}'), `{"proposal":${done}}`];
    const { codes, requests } = await ran(all, json(undefined), { offer: ['math.add'] });
    expect(codes).toEqual(['duplicate_member', 'SUCCESS', 'SUCCESS', 'SUCCESS']);
    expect(requests[0]?.['response_format']).toMatchObject({ json_schema: { strict: true } });
  });

  test('a schema that strict mode cannot say is sent as a hint', async () => {
    const { codes, requests } = await ran([`{"proposal":${done}}`], json('openai-strict'));
    expect(codes).toEqual(['SUCCESS']);
    expect(requests[0]?.['response_format']).toMatchObject({ json_schema: { strict: false } });
  });

  test.each(['json_object', 'none'] as const)('the form %s works', async (format) => {
    expect((await ran([next('{"a":1}'), done], json(format))).codes).toEqual(['SUCCESS', 'SUCCESS']);
  });

  test('the schema of most servers is refused by the rules, and probe finds the form that is taken', async () => {
    const port = fromOpenAI({
      preset: 'openai',
      baseUrl: `${server.origin}/v1`,
      model: 'tiny',
      responseFormat: 'json_schema',
      tools: 'json',
    });
    const refused = await ran([], port);
    expect(refused.end).toMatchObject({ state: 'failed', code: 'model_failed' });
    expect(refused.end.said).toContain('schema must be a JSON Schema of \'type: \\"object\\"\'');
    answers = ['{"proposal":{"ok":true}}'];
    const found = await port.probe();
    expect(found.responseFormat).toBe('openai-strict');
    expect(found.answers.map(({ http }) => http)).toEqual([400, 200]);
    expect((await ran([`{"proposal":${done}}`], port)).end.state).toBe('completed');
  });
});

test('tools of a run that can hold name their arguments, take handles, and the model is told of these', async () => {
  const capabilities = [ADD, capability('list', { properties: { head: {}, tail: { $ref: '#' } } })];
  const grants = capabilities.map(({ name }) => ({ capability: name, mode: 'allow' }) as const);
  const holding = await openRuntime({ capabilities, grants, hold: 'all' });
  answers = [[call('math_add', '{"a": 1}')], [call('math_add', '{"a":{"$held":"h1","at":"/a"}}')], 'Done.'];
  const before = server.seen.length;
  const run = holding.start({ dialect: 'xct', task: 'Add.', model: model() });
  expect(await run.result).toMatchObject({ state: 'completed', steps: 3 });
  expect(await holding.held.open(run.id, 'h2')).toMatchObject({ value: { outcome: { ok: true, value: { a: 1 } } } });
  const orHandle = { anyOf: [{}, { $ref: '#/$defs/handle' }] };
  expect(JSON.parse(server.seen[before]?.body ?? '')).toMatchObject({
    messages: [{ content: expect.stringContaining('{"$held":"h12"}') }, {}],
    tools: [
      { function: { name: 'held_read' } },
      { function: { name: 'list', parameters: { type: 'object', properties: { head: orHandle, tail: {} } } } },
      { function: { name: 'math_add', parameters: { type: 'object', required: ['a'], properties: { b: orHandle } } } },
    ],
  });
  await holding.close();
});
