import { expect, test } from 'vitest';
import { fromOpenAI } from '../../../../workers/bridges/models/openai.ts';
import type { ServerName } from '../../../../workers/bridges/models/presets.ts';
import { defineTool } from '../../../../workers/node.ts';
import { openRuntime } from '../../../runtime/shared.ts';
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

async function conversation(preset: ServerName, rules: Rules, body?: object) {
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
  const runtime = await openRuntime({ tools: [tool], grants: [{ capability: 'add', mode: 'allow' }] });
  const options = { preset, baseUrl: `${server.origin}/v1`, model: rules.model ?? 'm', ...(body && { body }) };
  const start = () => runtime.start({ dialect: 'xct', task: 'Add.', model: fromOpenAI(options), seed: 7 });
  return { server, runtime, start };
}

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
  const { server, runtime, start } = await conversation('openai', RULES.openai as Rules, body);
  expect(await start().result).toMatchObject({ state: 'completed' });
  expect(server.seen.length).toBe(4);
  await runtime.close();
  await server.close();
});
