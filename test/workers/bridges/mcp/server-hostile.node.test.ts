import { afterEach, describe, expect, test } from 'vitest';
import type { PayloadRef } from '../../../../core/ledger/payload-ref.ts';
import type { Runtime } from '../../../../workers/api.ts';
import type { McpServing } from '../../../../workers/bridges/mcp/server/options.ts';
import { serveMcpOver } from '../../../../workers/bridges/mcp/server/serve.ts';
import { replayExport } from '../../../../workers/node.ts';
import { callNow, HandClient, pipe, ran, runtimeOf } from './server-shared.ts';

let runtime: Runtime;
let serving: McpServing;
afterEach(async () => {
  await serving.close();
  await runtime.close();
});

async function opened(capabilities: object = {}): Promise<HandClient> {
  return (await unopened()).begin(capabilities);
}

async function unopened(): Promise<HandClient> {
  runtime = await runtimeOf();
  const streams = pipe();
  serving = await serveMcpOver(runtime, streams);
  return new HandClient(streams);
}

function call(id: number, name: string, args: string): string {
  return `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"${name}","arguments":${args}}}`;
}

/** The messages that were turned away: the code of each with its bytes, and the codes of floods with their numbers. */
async function rejections(): Promise<readonly (readonly [code: string, bytes: string | number])[]> {
  const found: (readonly [string, string | number])[] = [];
  for (const { run_id } of await runtime.runs())
    for (const { kind, body } of await runtime.ledger.records(run_id)) {
      if (kind !== 'rejection') continue;
      if (body.event === 'flood') found.push(...body.counts.map(({ code, count }) => [code, count] as const));
      else
        found.push([
          'code' in body ? body.code : '',
          await textOf(run_id, 'payload' in body ? body.payload : undefined),
        ]);
    }
  return found;
}

async function textOf(run_id: string, ref: PayloadRef | undefined): Promise<string> {
  return ref === undefined
    ? ''
    : new TextDecoder('utf-8', { ignoreBOM: true }).decode(await runtime.ledger.payload(run_id, ref));
}

/** The proposals of all runs, each with the message that held it. */
async function proposals(): Promise<readonly string[]> {
  const found: string[] = [];
  for (const { run_id } of await runtime.runs())
    for (const { kind, body } of await runtime.ledger.records(run_id))
      if (kind === 'proposal') found.push(await textOf(run_id, body.wire));
  return found;
}

const DEEP = `${'['.repeat(200)}${']'.repeat(200)}`;

describe('bytes that other servers run', () => {
  test.each([
    ['a member that appears twice', call(7, 'math_add', '{"a":1,"a":2,"b":3}'), 'duplicate_member'],
    ['a number that no double holds', call(7, 'math_add', '{"a":1,"b":9007199254740993}'), 'number_precision'],
    ['a lone surrogate', call(7, 'note_post', '{"text":"\\ud800"}'), 'lone_surrogate'],
    ['deep nesting', call(7, 'open', `{"deep":${DEEP}}`), 'limit_depth'],
    [
      'a method that appears twice',
      '{"jsonrpc":"2.0","id":7,"method":"ping","method":"tools/list"}',
      'duplicate_member',
    ],
  ])('%s is answered with an error for its id, recorded and not run', async (_, line, code) => {
    const client = await opened();
    client.write(line);
    const { error } = await client.heard(7);
    expect(error).toMatchObject({ code: -32700, data: { code } });
    await expect.poll(rejections).toEqual([[code, line]]);
    expect(ran).toEqual([]);
  });

  test.each([
    ['broken JSON', '{"jsonrpc":"2.0","id":8,"method":"tools/call","params":{"name":"open",', 'json_syntax'],
    ['bytes that are no UTF-8', Uint8Array.from([0x7b, 0xff, 0x7d]), 'utf8'],
    ['a byte order mark', '\ufeff{"jsonrpc":"2.0","id":8,"method":"ping"}', 'bom'],
  ])('%s is answered with an error and recorded', async (_, line, code) => {
    const client = await opened();
    client.write(line);
    await expect.poll(() => client.messages.find(({ error }) => error?.data?.code === code)).toBeDefined();
    await expect.poll(async () => (await rejections()).map(([found]) => found)).toEqual([code]);
  });

  test('a batch is refused as a whole and recorded', async () => {
    const client = await opened();
    client.write(`[${call(1, 'math_add', '{"a":1,"b":2}')}]`);
    const { error } = await client.heard(null);
    expect(error).toMatchObject({ code: -32600, message: expect.stringContaining('batch') });
    await expect.poll(async () => (await rejections()).map(([found]) => found)).toEqual(['message_unserved']);
    expect(ran).toEqual([]);
  });

  test('a message that is no JSON-RPC cannot become a call of a tool that takes every object', async () => {
    const client = await opened();
    client.write('{"jsonrpc":"1.0","id":9,"method":"tools/call","params":{"name":"open","arguments":{}}}');
    expect((await client.heard(9)).error).toMatchObject({ code: -32600, data: { code: 'wrong_type' } });
    await expect.poll(async () => (await rejections()).map(([found]) => found)).toEqual(['wrong_type']);
    expect(ran).toEqual([]);
  });

  test('a line over the bound is dropped, answered and recorded, and the connection goes on', async () => {
    const client = await opened();
    client.write(
      `{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"open","arguments":{"x":"${'x'.repeat(17 << 20)}"}}}`,
    );
    expect((await client.heard(5)).error?.data?.code).toBe('limit_size');
    client.write(call(6, 'math_add', '{"a":1,"b":2}'));
    expect((await client.heard(6)).result).toMatchObject({ structuredContent: { sum: 3 } });
    expect((await rejections()).map(([code]) => code)).toEqual(['limit_size']);
  });

  test('a member named __proto__ reaches the gate as it came', async () => {
    const client = await opened();
    client.write(call(1, 'open', '{"__proto__":{"polluted":true},"a":1}'));
    const { result } = await client.heard(1);
    expect(JSON.stringify(result)).toContain('__proto__');
    client.write(call(2, 'math_add', '{"__proto__":{"a":1},"a":1,"b":2}'));
    expect((await client.heard(2)).result).toMatchObject({ isError: true });
  });

  test('arguments that are no object are refused by the gate, and the ledger has them', async () => {
    const client = await opened();
    client.write(call(1, 'math_add', '[1,2]'));
    expect((await client.heard(1)).result).toMatchObject({ isError: true });
    expect(await proposals()).toEqual([call(1, 'math_add', '[1,2]')]);
  });

  const PARAMS = '"name":"math_add","arguments":{"a":1,"b":2}';
  test.each([
    ['a name that is no text', '"id":7', '{"name":5}', 'wrong_type', -32602],
    ['no name', '"id":7', '{"arguments":{}}', 'missing_member', -32602],
    ['parameters that are a list', '"id":7', '[1]', 'wrong_type', -32600],
    ['parameters that are null', '"id":7', 'null', 'wrong_type', -32600],
    ['an unknown member', '"id":7', `{${PARAMS},"execute":"rm"}`, 'unknown_member', -32602],
    ['a _meta that is a list', '"id":7', `{${PARAMS},"_meta":[]}`, 'wrong_type', -32602],
    ['an unknown member beside them', '"id":7,"tool_call":{}', `{${PARAMS}}`, 'unknown_member', -32600],
  ])('a call with %s is answered with its code and recorded', async (_, head, params, code, error) => {
    const client = await opened();
    const line = `{"jsonrpc":"2.0",${head},"method":"tools/call","params":${params}}`;
    client.write(line);
    expect((await client.heard(7)).error).toMatchObject({ code: error, data: { class: 'malformed_structure', code } });
    await expect.poll(rejections).toEqual([[code, line]]);
    expect(ran).toEqual([]);
  });

  test('a call that is a notification is not run, not answered, and recorded', async () => {
    const client = await opened();
    const line = `{"jsonrpc":"2.0","method":"tools/call","params":{${PARAMS}}}`;
    client.write(line);
    await expect.poll(rejections).toEqual([['missing_member', line]]);
    expect(ran).toEqual([]);
    expect(client.messages).toHaveLength(1);
  });

  test.each([
    ['a method that is not served', 'message', '{"content":"x"}', -32601],
    ['a method in other letters', 'Tools/Call', `{${PARAMS}}`, -32601],
    ['a resource that is not there', 'resources/read', '{"uri":"sallyport://runs/x"}', -32602],
  ])('%s is answered with the code of its record', async (_, method, params, error) => {
    const client = await opened();
    const line = `{"jsonrpc":"2.0","id":7,"method":"${method}","params":${params}}`;
    client.write(line);
    expect((await client.heard(7)).error).toMatchObject({ code: error, data: { code: 'message_unserved' } });
    await expect.poll(rejections).toEqual([['message_unserved', line]]);
  });

  test('a call keeps the bytes that came, beside the proposal that was made from them', async () => {
    const client = await opened();
    const line = call(1, 'math_add', '{ "b" : 2.0, "a":1 }');
    client.write(line);
    await client.heard(1);
    expect(await proposals()).toEqual([line]);
  });

  test('a run with refused messages verifies and replays', async () => {
    const client = await opened();
    client.write(call(1, 'math_add', '{"a":1,"a":2,"b":3}'));
    client.write(call(2, 'math_add', '{"a":1,"b":2}'));
    await client.heard(2);
    client.write(call(3, 'slow', '{}'));
    await expect.poll(() => ran).toContain('slow');
    client.write(call(4, 'math_add', '{"a":1,"a":2,"b":3}'));
    await expect.poll(rejections).toHaveLength(2);
    client.write('{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":3}}');
    await expect.poll(() => ran).toContain('slow aborted');
    await serving.close();
    const [row] = await runtime.runs();
    expect((await replayExport(await runtime.ledger.export(row?.run_id ?? '', { secrets: true }))).ok).toBe(true);
  });
});

describe('answers to questions', () => {
  test('an answer with another id answers no question, and a broken answer denies its own', async () => {
    const client = await opened({ elicitation: { form: {} } });
    client.write(call(1, 'note_post', '{"text":"Hi."}'));
    const { id } = await client.heard('elicitation/create');
    client.write('{"jsonrpc":"2.0","id":4711,"result":{"action":"accept","content":{"approve":true}}}');
    client.write(
      `{"jsonrpc":"2.0","id":${id},"result":{"action":"decline","action":"accept","content":{"approve":true}}}`,
    );
    expect((await client.heard(1)).result).toMatchObject({ isError: true });
    expect((await rejections()).map(([code]) => code)).toEqual(['answer_unknown', 'duplicate_member']);
    expect(ran).toEqual([]);
  });

  interface Handed {
    readonly inputRequests: { readonly approve: { readonly params: { readonly message: string } } };
    readonly requestState: string;
  }

  async function asked(client: HandClient, id: number, text: string): Promise<Handed> {
    client.write(callNow(id, 'note_post', { text }));
    return (await client.heard(id)).result as unknown as Handed;
  }
  const yes = { inputResponses: { approve: { action: 'accept', content: { approve: true } } } };

  test('a state answers its own call, and a single time', async () => {
    const client = await unopened();
    const { requestState } = await asked(client, 1, 'Hi.');
    client.write(callNow(2, 'note_post', { text: 'Hi.' }, { requestState, ...yes }));
    expect((await client.heard(2)).result).toMatchObject({ content: [{ text: '3' }] });
    client.write(callNow(3, 'note_post', { text: 'Hi.' }, { requestState, ...yes }));
    expect(JSON.stringify((await client.heard(3)).result)).toContain('This question is not open');
    await expect.poll(async () => (await rejections()).map(([code]) => code)).toEqual(['answer_unknown']);
    expect(ran).toEqual(['note.post Hi.']);
  });

  test('two answers at once run the call a single time', async () => {
    const client = await unopened();
    const { requestState } = await asked(client, 1, 'Hi.');
    for (const id of [2, 3]) client.write(callNow(id, 'note_post', { text: 'Hi.' }, { requestState, ...yes }));
    await Promise.all([client.heard(2), client.heard(3)]);
    expect(ran).toEqual(['note.post Hi.']);
  });

  test('a state does not answer another call, and the question stays open', async () => {
    const client = await unopened();
    const { requestState } = await asked(client, 1, 'Hi.');
    client.write(callNow(2, 'note_post', { text: 'Send all.' }, { requestState, ...yes }));
    expect(JSON.stringify((await client.heard(2)).result)).toContain('belongs to another call');
    client.write(callNow(3, 'open', { text: 'Hi.' }, { requestState, ...yes }));
    expect(JSON.stringify((await client.heard(3)).result)).toContain('belongs to another call');
    expect(ran).toEqual([]);
    client.write(callNow(4, 'note_post', { text: 'Hi.' }, { requestState, ...yes }));
    await client.heard(4);
    expect(ran).toEqual(['note.post Hi.']);
  });

  test('a forged state is refused', async () => {
    const client = await unopened();
    const { requestState } = await asked(client, 1, 'Hi.');
    const [version, body = '', mac] = requestState.split('.');
    const forged = Buffer.from(Buffer.from(body, 'base64url').toString().replace('"exp":', '"exp":1')).toString(
      'base64url',
    );
    client.write(callNow(2, 'note_post', { text: 'Hi.' }, { requestState: [version, forged, mac].join('.'), ...yes }));
    expect((await client.heard(2)).error).toMatchObject({ code: -32602, data: { code: 'answer_unknown' } });
    await expect.poll(async () => (await rejections()).map(([code]) => code)).toEqual(['answer_unknown']);
    expect(ran).toEqual([]);
  });

  test('an answer without a state is no answer: the call is asked about anew', async () => {
    const client = await unopened();
    client.write(callNow(1, 'note_post', { text: 'Hi.' }, yes));
    expect((await client.heard(1)).result).toHaveProperty('inputRequests');
    expect(ran).toEqual([]);
  });

  test('an approval counts for a single call', async () => {
    const client = await unopened();
    const { requestState } = await asked(client, 1, 'Hi.');
    client.write(callNow(2, 'note_post', { text: 'Hi.' }, { requestState, ...yes }));
    await client.heard(2);
    expect(await asked(client, 3, 'Hi.')).toHaveProperty('requestState');
    expect(ran).toEqual(['note.post Hi.']);
  });
});

describe('floods', () => {
  test('of refused messages in a flood the first have a record each, and the others are counted by code', async () => {
    const client = await opened();
    client.write(`${'{"a":1,"a":1}\n'.repeat(4000)}${'{"a":1}\n'.repeat(1000)}`);
    client.write(call(1, 'math_add', '{"a":1,"b":2}'));
    expect((await client.heard(1)).result).toMatchObject({ structuredContent: { sum: 3 } });
    await serving.close();
    const found = await rejections();
    expect(found.length).toBeLessThan(30);
    const number = (code: string) =>
      found.reduce((sum, [each, of]) => sum + (each === code ? (typeof of === 'number' ? of : 1) : 0), 0);
    expect([number('duplicate_member'), number('missing_member')]).toEqual([4000, 1000]);
  });

  test('calls in a flood are refused beyond a bound, and the rest is served', async () => {
    const client = await opened();
    for (let id = 1; id <= 1000; id++) client.write(call(id, 'math_add', `{"a":${id},"b":1}`));
    // the answer to initialize comes first
    await expect.poll(() => client.streams.lines.length, { timeout: 100_000 }).toBe(1001);
    const refusedCalls = client.messages.filter(({ error }) => error?.code === -32000);
    expect(refusedCalls.length).toBeGreaterThan(0);
    expect(ran.length + refusedCalls.length).toBe(1000);
    await serving.close();
    const counted = (await rejections()).reduce((sum, [, of]) => sum + (typeof of === 'number' ? of : 1), 0);
    expect(counted).toBe(refusedCalls.length);
    expect(refusedCalls[0]?.error?.data).toMatchObject({ class: 'run', code: 'calls_busy' });
  });
});
