import { expect, test } from 'vitest';
import type { StartOptions } from '../../../../workers/api.ts';
import { localAuditor } from '../../../../workers/auditor/auditor.ts';
import { fromOpenAI, type OpenAIOptions } from '../../../../workers/bridges/models/openai.ts';
import type { ServerName } from '../../../../workers/bridges/models/presets.ts';
import { openClient } from '../../../../workers/client/client.ts';
import { makeKernel } from '../../../../workers/kernel/kernel.ts';
import { nodePorts } from '../../../../workers/node/platform.ts';
import { defineTool } from '../../../../workers/node.ts';
import { emptyLog, openMemoryStore } from '../../../../workers/store/memory/store.ts';
import { forChecks, forRuns } from '../../../runtime/shared.ts';
import { DONE, JSON_TYPE, SSE, sendPieces, serve } from './server.ts';

type Json = { readonly [name: string]: unknown };

/** The published rules of a provider that a conversation meets, as a fake. */
interface Rules {
  readonly model?: string;
  /** Members that a request must not have. */
  readonly refuses?: readonly string[];
  /** Beside the call of the turn, in the message and in the call. */
  readonly sends?: (turn: number) => { readonly message?: Json; readonly call?: Json };
  /** Whether what it sent must come back with each call. */
  readonly demands?: boolean;
  readonly ids?: RegExp;
}

const RULES: { readonly [S in ServerName]?: Rules } = {
  openai: { model: 'o4-mini', refuses: ['parallel_tool_calls', 'max_tokens', 'temperature'] },
  google: {
    refuses: ['seed', 'parallel_tool_calls'],
    sends: (turn) => ({ call: { extra_content: { google: { thought_signature: `signature ${turn}` } } } }),
    demands: true,
  },
  deepseek: { sends: (turn) => ({ message: { reasoning_content: `thought ${turn}` } }), demands: true },
  mistral: {
    refuses: ['seed', 'stream_options'],
    sends: () => ({ message: { content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'hm' }] }] } }),
    ids: /^[a-zA-Z0-9]{9}$/,
  },
  groq: { sends: () => ({ message: { reasoning: 'hm' } }) },
  xai: { sends: (turn) => ({ message: { reasoning_content: `thought ${turn}` } }) },
  openrouter: {
    sends: (turn) => ({ message: { reasoning_details: [{ type: 'reasoning.encrypted', data: `sealed ${turn}` }] } }),
    demands: true,
  },
  anthropic: {},
};

/** The first rule that a request breaks. */
function fault({ refuses = [], sends, demands, ids = /./ }: Rules, body: Json): string | undefined {
  const stray = refuses.find((name) => name in body);
  if (stray !== undefined) return `Unsupported parameter: '${stray}' is not supported with this model.`;
  const messages = body['messages'] as readonly Json[];
  const made = messages.filter((message) => message['tool_calls'] !== undefined);
  for (const [turn, message] of made.entries()) {
    const [call] = message['tool_calls'] as readonly Json[];
    if (!ids.test(String(call?.['id']))) return 'Tool call id has a wrong form.';
    if (messages[messages.indexOf(message) + 1]?.['tool_call_id'] !== call?.['id']) return 'An answer is missing.';
    const sent = sends?.(turn) ?? {};
    const whole = JSON.stringify(message);
    for (const [name, value] of demands === true ? Object.entries({ ...sent.message, ...sent.call }) : [])
      if (!whole.includes(`${JSON.stringify(name)}:${JSON.stringify(value)}`)) return `${name} is missing.`;
  }
  return undefined;
}

const chunk = (delta: Json, finish_reason: string | null = null) =>
  `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason }] })}\n\n`;

async function conversation(preset: ServerName, rules: Rules, given: Partial<OpenAIOptions> = {}) {
  let calls = 0;
  const server = await serve({
    v1: async (response, request) => {
      const refused = fault(rules, JSON.parse(request.body) as Json);
      if (refused !== undefined)
        return void response.writeHead(400, JSON_TYPE).end(JSON.stringify({ error: { message: refused } }));
      const turn = calls++;
      const sent = rules.sends?.(turn) ?? {};
      response.writeHead(200, SSE);
      if (sent.message !== undefined) await sendPieces(response, [chunk(sent.message)]);
      const call = { index: 0, id: `c${turn}`, type: 'function', ...sent.call };
      const args = JSON.stringify({ a: turn });
      const answer =
        turn < 3
          ? [chunk({ tool_calls: [{ ...call, function: { name: 'add', arguments: args } }] }), chunk({}, 'tool_calls')]
          : [chunk({ content: 'Done.' }), chunk({}, 'stop')];
      await sendPieces(response, [...answer, DONE]);
      response.end();
    },
  });
  const tool = defineTool({
    ...{ name: 'add', version: '1.0.0', description: 'Adds.', effect: 'pure' as const },
    args: { type: 'object', required: ['a'], additionalProperties: false, properties: { a: { type: 'number' } } },
    run: ({ a }: { a: number }) => a + 1,
  });
  const log = emptyLog();
  const open = async () => {
    const ports = { ...nodePorts, ...(await forRuns()), store: openMemoryStore(log) };
    const kernel = makeKernel(ports, { isolation: 'node', probes: [], store: { kind: 'memory' } });
    const grants = [{ capability: 'add', mode: 'allow' }] as const;
    return openClient(kernel, async () => localAuditor(forChecks), { tools: [tool], grants });
  };
  const runtime = await open();
  const model = (name = rules.model ?? 'm') =>
    fromOpenAI({ preset, baseUrl: `${server.origin}/v1`, model: name, ...given });
  const start = (options: Partial<StartOptions> = {}) =>
    runtime.start({ dialect: 'xct', task: 'Add.', model: model(), seed: 7, ...options });
  return { server, runtime, start, open, model };
}

const DEMANDING = Object.entries(RULES).filter(([, { demands }]) => demands) as [ServerName, Rules][];

test.each(Object.entries(RULES) as [ServerName, Rules][])(
  '%s holds a conversation of three calls by its published rules',
  async (preset, rules) => {
    const { server, runtime, start } = await conversation(preset, rules);
    expect(await start().result).toMatchObject({ state: 'completed', message: 'Done.', steps: 4 });
    // a member that a server refuses costs one request, and is left out from then on
    expect(server.seen.length).toBe(preset === 'openai' ? 5 : 4);
    await runtime.close();
    await server.close();
  },
);

test('a program leaves a member out, and no request is refused', async () => {
  const body = { parallel_tool_calls: undefined };
  const { server, runtime, start } = await conversation('openai', RULES.openai as Rules, { body });
  expect(await start().result).toMatchObject({ state: 'completed' });
  expect(server.seen.length).toBe(4);
  await runtime.close();
  await server.close();
});

/** Starts a run, and takes it up in a runtime that has its records alone, behind two of its calls. */
async function resumed(preset: ServerName, rules: Rules, given?: Partial<OpenAIOptions>, name = rules.model ?? 'm') {
  const { server, start, open, model } = await conversation(preset, rules, given);
  const run = start({ paused: true });
  await run.step();
  await run.step();
  const later = await open();
  const again = await later.resume(run.id, model(name));
  return { server, runtime: later, again };
}

const toldCalls = ({ body }: { readonly body: string }) =>
  (JSON.parse(body) as { messages: readonly Json[] }).messages.filter(({ tool_calls }) => tool_calls !== undefined);

test.each(DEMANDING)('%s is sent what it demands back after a reload too', async (preset, rules) => {
  const { server, runtime, again } = await resumed(preset, rules);
  await again.run();
  expect(await again.result).toMatchObject({ state: 'completed', message: 'Done.', steps: 4 });
  expect(server.seen.map((request) => toldCalls(request).length)).toEqual([0, 1, 2, 3]);
  const file = await runtime.ledger.export(again.id);
  const { checks } = await runtime.ledger.check(file, { replay: true });
  expect(checks.map(({ id, status }) => [id, status])).toContainEqual(['replay', 'pass']);
  expect(checks.filter(({ status }) => status === 'fail')).toEqual([]);
  await runtime.close();
  await server.close();
});

test('what one model has sent is not sent to another, and its calls are told as text', async () => {
  const { server, runtime, again } = await resumed('google', RULES.google as Rules, {}, 'another');
  await again.step();
  const { body } = server.seen.at(-1) ?? { body: '' };
  expect(JSON.parse(body)).toMatchObject({ model: 'another' });
  expect(body).not.toContain('signature');
  expect(toldCalls({ body })).toEqual([]);
  await runtime.close();
  await server.close();
});

test('what a server sends beside a call holds no key of the program', async () => {
  const apiKey = 'sk-a-key-of-the-program-0123456789';
  const sends = () => ({ message: { reasoning_content: `The key is ${apiKey}, "${apiKey}".` } });
  const { server, runtime, start } = await conversation('deepseek', { sends }, { apiKey });
  const run = start();
  expect(await run.result).toMatchObject({ state: 'completed' });
  const texts = (await runtime.ledger.records(run.id)).flatMap(({ body, kind }) =>
    kind === 'proposal' && body.provider_data ? [body.provider_data] : [],
  );
  expect(texts.length).toBe(3);
  for (const { sha256 } of texts) {
    const text = new TextDecoder().decode(await runtime.ledger.payload(run.id, sha256));
    expect(text).toContain('The key is');
    expect(text).not.toContain(apiKey);
  }
  await runtime.close();
  await server.close();
});
