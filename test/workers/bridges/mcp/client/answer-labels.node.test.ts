import { InMemoryTransport, McpServer } from '@modelcontextprotocol/server';
import { expect, onTestFinished, test } from 'vitest';
import { defineCodeTool } from '../../../../../core/index.ts';
import type { ApprovalRequest, GrantOption } from '../../../../../workers/api.ts';
import { fromMcp, type McpOptions } from '../../../../../workers/mcp.ts';
import { replayExport, verifyExport } from '../../../../../workers/node.ts';
import { openRuntime } from '../../../../runtime/shared.ts';

const OPEN = { integrity: 'trusted', confidentiality: ['public'] };

/** A runtime with the tools of a server: `read` answers with this member of `_meta`, `send` takes a text. */
async function opened(ifc: unknown, options: Partial<McpOptions>, accepts?: GrantOption['accepts']) {
  const server = new McpServer({ name: 'a', version: '1.0.0' });
  const content = [{ type: 'text' as const, text: 'a mail' }];
  server.registerTool('read', {}, async () => ({ content, _meta: { ...(ifc !== undefined && { ifc }) } }));
  server.registerTool('fail', {}, async () => ({ content, isError: true, _meta: { ifc } }));
  const [transport, far] = InMemoryTransport.createLinkedPair();
  await server.connect(far);
  const source = await fromMcp({ transport }, { prefix: 'a', effect: 'read', labels: [], ...options });
  const asked: ApprovalRequest[] = [];
  const runtime = await openRuntime({
    tools: [
      source,
      {
        name: 'send',
        version: '1.0.0',
        description: 'Sends a text.',
        effect: 'write',
        labels: [],
        args: { type: 'object', properties: { text: { type: 'string' } }, additionalProperties: false },
        run: () => 1,
      },
    ],
    capabilities: [defineCodeTool({ name: 'code', tools: [(await source.list())[1] as never] })],
    grants: [
      ...['a.read', 'a.fail', 'code', 'held.read'].map((capability) => ({ capability, mode: 'allow' as const })),
      { capability: 'send', mode: 'allow', ...(accepts && { accepts }) },
    ],
    approve: async (request) => (asked.push(request), { approved: true }),
  });
  onTestFinished(() => runtime.close());
  const session = runtime.openSession();
  const sealed = async () => {
    await session.close();
    const jsonl = await runtime.ledger.export(session.run.id, { secrets: true });
    expect((await verifyExport(jsonl)).ok).toBe(true);
    expect((await replayExport(jsonl)).checks.find(({ id }) => id === 'replay')).toMatchObject({ status: 'pass' });
    return jsonl;
  };
  return { runtime, session, asked, sealed };
}

test.each([
  [OPEN, []],
  [undefined, []],
  [{ ...OPEN, integrity: 'untrusted' }, ['untrusted']],
  [{ ...OPEN, confidentiality: ['private'] }, ['private']],
  [{ ...OPEN, confidentiality: ['public', 'ann'] }, ['private']],
  [{ ...OPEN, confidentiality: [] }, ['private']],
  [{ ...OPEN, confidentiality: 'public' }, ['private', 'untrusted']],
  [{ ...OPEN, integrity: true }, ['private', 'untrusted']],
  [{ confidentiality: ['public'] }, ['private', 'untrusted']],
  ['trusted', ['private', 'untrusted']],
  [null, ['private', 'untrusted']],
])('an answer with the labels %j brings %j into the context, and its run replays', async (ifc, labels) => {
  const { session, sealed } = await opened(ifc, {});
  expect(await session.call('a.read', {})).toMatchObject({ ok: true, labels });
  const jsonl = await sealed();
  expect(jsonl.includes('answer_labels')).toBe(labels.length > 0);
});

test('the labels of an answer take none of its tool away, and count for an error, too', async () => {
  const { session } = await opened(OPEN, { labels: ['private'] });
  expect(await session.call('a.read', {})).toMatchObject({ labels: ['private'] });
  const other = await opened({ ...OPEN, confidentiality: [] }, {});
  expect(await other.session.call('a.fail', {})).toMatchObject({ ok: false, labels: ['private'] });
});

const HIDDEN = { integrity: 'untrusted', confidentiality: ['ann'] };
const SEND = { text: { $held: 'h1', at: '/content/0/text' } };

test('the labels of a held answer are held with it: a person is asked by them, and no caller hears of them', async () => {
  const told: unknown[] = [];
  for (const [ifc, count] of [
    [HIDDEN, 1],
    [{ ...HIDDEN, confidentiality: ['public'] }, 0],
  ] as const) {
    const { runtime, session, asked, sealed } = await opened(
      ifc,
      { labels: ['untrusted'], held: true },
      { '/text': ['untrusted'] },
    );
    const called = [await session.call('a.read', {}), await session.call('send', SEND)];
    told.push(called.map(({ held, labels }) => ({ held, labels })));
    expect(asked).toHaveLength(count);
    const labels = count === 0 ? ['untrusted'] : ['private', 'untrusted'];
    const rows = await runtime.held.list(session.run.id);
    // what is sent goes on with the labels of its values
    expect(rows.map((row) => row.labels)).toEqual([labels, labels]);
    expect(await session.call('held.read', { handle: { $held: 'h1' } })).toMatchObject({ labels });
    await sealed();
  }
  expect(told[0]).toEqual(told[1]);
});

test('a program does not read an answer that says more than the labels of its tool', async () => {
  const program = 'try { return await tools.a.read({}); } catch (error) { return error.name; }';
  const { session } = await opened(HIDDEN, { labels: ['untrusted'] });
  expect(await session.call('code', { program })).toMatchObject({ value: 'labels_raised' });
  const { session: other } = await opened(HIDDEN, { labels: ['private', 'untrusted'] });
  expect(await other.call('code', { program })).toMatchObject({ value: { content: [{ text: 'a mail' }] } });
});
