import { expect, it, onTestFinished } from 'vitest';
import { fromMcp } from '../../../../../workers/mcp.ts';
import { openRuntime } from '../../../../runtime/shared.ts';
import { serveFetch } from './serve.ts';

interface Sent {
  readonly id?: number;
  readonly method: string;
}

const UNKNOWN: { readonly [kind: string]: () => Response } = {
  404: () => new Response('{"error":"gone"}', { status: 404 }),
  400: () =>
    Response.json({ jsonrpc: '2.0', id: null, error: { code: -32_000, message: 'Bad Request' } }, { status: 400 }),
  text: () =>
    new Response('data: {"error":"Session not found"}\n\n', { headers: { 'content-type': 'text/event-stream' } }),
};

/**
 * The outcomes of three calls: one in the first session, one after it was forgotten, and one after that. `repeated` is what
 * their receipts say of a second request.
 */
async function outcomes(kind: string, effect: 'read' | 'write', tool = 'h.echo') {
  let [session, calls] = [0, 0];
  let known: string | undefined;
  const results: { readonly [method: string]: () => object } = {
    'tools/list': () => ({ tools: [{ name: 'echo', inputSchema: { type: 'object' } }] }),
    'tools/call': () => ({ content: [{ type: 'text', text: String(++calls) }] }),
    'resources/list': () => ({ resources: [{ uri: `note://${++calls}` }] }),
  };
  const server = await serveFetch(async (request) => {
    if (request.method !== 'POST') return new Response(null, { status: 405 });
    const { id, method } = (await request.json()) as Sent;
    if (method === 'initialize') {
      known = `s${++session}`;
      const serverInfo = { name: 'f', version: '1' };
      const result = { protocolVersion: '2025-06-18', capabilities: { tools: {}, resources: {} }, serverInfo };
      return Response.json({ jsonrpc: '2.0', id, result }, { headers: { 'mcp-session-id': known } });
    }
    const given = request.headers.get('mcp-session-id');
    // the question for the version fails at this server
    if (given === null) return new Response('boom', { status: 500 });
    if (given !== known) return UNKNOWN[kind]?.() ?? new Response(null, { status: 404 });
    if (id === undefined) return new Response(null, { status: 202 });
    return Response.json({ jsonrpc: '2.0', id, result: results[method]?.() ?? {} });
  });
  onTestFinished(() => server.close());
  const source = await fromMcp(
    { url: server.url },
    { prefix: 'h', effect, labels: [], resources: true, timeoutMs: 10_000 },
  );
  const runtime = await openRuntime({ tools: [source], grants: [{ capability: tool, mode: 'allow' }] });
  onTestFinished(() => runtime.close());
  const caller = runtime.openSession();
  const ends: [boolean, number][] = [];
  for (let nth = 0; nth < 3; nth++) {
    if (nth === 1) known = undefined;
    ends.push([(await caller.call(tool, {})).ok, calls]);
  }
  const records = await runtime.ledger.records(caller.run.id);
  const repeated = records.flatMap((each) => (each.kind === 'receipt' ? [each.body.evidence.repeated] : []));
  return { ends, repeated };
}

it('a list of resources is asked for again in a new session, and its receipt says so', async () => {
  const { ends, repeated } = await outcomes('404', 'read', 'h.resources.list');
  expect(ends.map(([ok]) => ok)).toEqual([true, true, true]);
  expect(repeated).toEqual([undefined, 'session_forgotten', undefined]);
});

it.each([
  ['404', 'write', [true, true, true]],
  ['400', 'read', [true, true, true]],
  ['400', 'write', [true, false, true]],
  ['text', 'read', [true, true, true]],
  ['text', 'write', [true, false, true]],
] as const)('a session that is forgotten with %s, and a call of effect %s', async (kind, effect, expected) => {
  const { ends, repeated } = await outcomes(kind, effect);
  expect(ends.map(([ok]) => ok)).toEqual(expected);
  expect(repeated).toEqual([undefined, expected[1] ? 'session_forgotten' : undefined, undefined]);
  expect(ends.at(-1)?.[1]).toBe(expected.filter(Boolean).length);
});
