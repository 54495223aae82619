import { expect, onTestFinished, test } from 'vitest';
import type { ApprovalRequest, GrantOption } from '../../../../workers/node.ts';
import { replayExport, verifyExport } from '../../../../workers/node.ts';
import { openRuntime } from '../../../runtime/shared.ts';
import { documentOf, json, localServer, sourceOf } from './server.ts';

const KEY = 'Bearer secret-of-the-program';

const pet = {
  type: 'object',
  required: ['id', 'name'],
  properties: { id: { type: 'integer' }, name: { type: 'string' } },
};
const DOCUMENT = documentOf({
  '/pets/{id}': {
    get: {
      operationId: 'getPet',
      parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'integer' } }],
      responses: { 200: { content: { 'application/json': { schema: pet } } } },
    },
  },
});

async function opened(grant: Partial<GrantOption> = {}) {
  const server = await localServer(({ url, headers }, response) =>
    json(response, url === '/pets/8' ? { id: '8' } : { id: 7, name: `Rex of ${headers.authorization}` }),
  );
  const source = sourceOf(DOCUMENT, {
    prefix: 'pets',
    baseUrl: server.origin,
    headers: () => ({ authorization: KEY }),
  });
  const asked: ApprovalRequest[] = [];
  const runtime = await openRuntime({
    tools: [source],
    grants: [{ capability: 'pets.getPet', mode: 'allow', ...grant }],
    approve: async (request) => {
      asked.push(request);
      return { approved: true };
    },
  });
  onTestFinished(() => runtime.close());
  return { server, runtime, asked, session: runtime.openSession() };
}

test('a call passes every gate, and its run verifies and replays without the server', async () => {
  const { server, runtime, session } = await opened();
  expect(await session.call('pets.getPet', { path: { id: 7 } })).toMatchObject({
    ok: true,
    value: { status: 200, body: { id: 7, name: 'Rex of (secret)' } },
    labels: ['private', 'untrusted'],
  });
  for (const [args, code] of [
    [{ path: { id: '7' } }, 'arguments_schema'],
    [{ path: { id: 7 }, query: { admin: true } }, 'arguments_schema'],
    [{ path: { id: 8 } }, 'effect_done'],
  ] as const)
    expect(await session.call('pets.getPet', args)).toMatchObject({ ok: false, refusal: { code } });
  expect(server.arrived.map(({ url, headers }) => [url, headers.authorization])).toEqual([
    ['/pets/7', KEY],
    ['/pets/8', KEY],
  ]);
  await session.close();
  const jsonl = await runtime.ledger.export(session.run.id, { secrets: true });
  expect(jsonl).not.toContain('secret-of');
  expect((await verifyExport(jsonl)).ok).toBe(true);
  expect((await replayExport(jsonl)).checks.find(({ id }) => id === 'replay')).toMatchObject({ status: 'pass' });
  expect(server.arrived.length).toBe(2);
});

test('a call that the policy denies reaches no server, and asks for no key', async () => {
  const { server, session } = await opened({ where: { properties: { path: { properties: { id: { maximum: 6 } } } } } });
  expect(await session.call('pets.getPet', { path: { id: 7 } })).toMatchObject({
    ok: false,
    refusal: { class: 'authorization' },
  });
  expect(server.arrived).toEqual([]);
});

test('a question about a call names the tool, whose row has the origin', async () => {
  const { server, runtime, session, asked } = await opened({ mode: 'ask' });
  expect(await session.call('pets.getPet', { path: { id: 7 } })).toMatchObject({ ok: true });
  expect(asked).toMatchObject([{ capability: 'pets.getPet', effect: 'egress', args: '{"path":{"id":7}}' }]);
  const row = (await runtime.capabilities.list()).find(({ name }) => name === 'pets.getPet');
  expect(row?.host).toEqual({ origin: `openapi:${server.origin}` });
});

test('a result is held by its labels, and reaches another operation where a grant accepts it', async () => {
  const server = await localServer(({ url }, response) =>
    json(response, url === '/pets/7' ? { id: 7, name: 'Rex' } : {}),
  );
  const text = { type: 'object', required: ['name'], properties: { name: { type: 'string' } } };
  const put = {
    operationId: 'rename',
    requestBody: { required: true, content: { 'application/json': { schema: text } } },
    responses: {},
  };
  const { paths } = DOCUMENT as { paths: object };
  const source = sourceOf(documentOf({ ...paths, '/names': { put } }), {
    prefix: 'pets',
    baseUrl: server.origin,
    labels: ({ id }) => (id === 'getPet' ? ['untrusted'] : []),
    held: ({ id }) => (id === 'getPet' ? 'untrusted' : undefined),
  });
  const runtime = await openRuntime({
    tools: [source],
    grants: [
      { capability: 'pets.getPet', mode: 'allow' },
      { capability: 'pets.rename', mode: 'allow', accepts: { '/body/name': ['untrusted'] } },
    ],
  });
  onTestFinished(() => runtime.close());
  const session = runtime.openSession();
  expect(await session.call('pets.getPet', { path: { id: 7 } })).toMatchObject({ held: 'h1' });
  const name = { $held: 'h1', at: '/body/name' };
  expect(await session.call('pets.rename', { body: { name } })).toMatchObject({ held: 'h2' });
  expect(server.arrived.at(-1)).toMatchObject({ url: '/names', body: '{"name":"Rex"}' });
});

test('a word that holds nothing is refused', () => {
  expect(() => sourceOf(DOCUMENT, { baseUrl: 'https://a.example', held: 'secret' as never })).toThrow('option held');
});
