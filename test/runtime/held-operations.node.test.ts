import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import type { ApprovalAnswer, ApprovalRequest, Runtime, Session } from '../../workers/api.ts';
import { CORPUS_CAPABILITIES, defineCapability, defineTool, fromScript, type NodeOptions } from '../../workers/node.ts';
import { rewrite } from '../core/replay/rewrite.ts';
import { expectReplayed, verified } from './replayed.ts';
import { openRuntime } from './shared.ts';

const common = { version: '1.0.0', description: 'For a test.' } as const;
const TEXT = {
  type: 'object',
  properties: { text: { type: 'string' } },
  required: ['text'],
  additionalProperties: false,
} as const;
const MAILS = [{ subject: 'Lunch', text: 'secret: 12:30?' }];
const mail = defineTool({ ...common, name: 'mail.search', effect: 'read', held: true, args: {}, run: () => MAILS });
const broken = defineTool({
  ...common,
  name: 'mail.broken',
  effect: 'read',
  held: true,
  args: {},
  run: () => {
    throw new Error('secret failure');
  },
});
const seen: unknown[] = [];
const file = defineTool({
  ...common,
  name: 'file.put',
  effect: 'write',
  labels: [],
  args: TEXT,
  run: ({ text }) => (seen.push(text), 'ok'),
});
const upper = defineCapability({
  ...common,
  name: 'upper',
  effect: 'pure',
  args: TEXT,
  run: ({ text }) => text.toUpperCase(),
});
const ANY = ['private', 'untrusted'] as const;
const grants: NonNullable<NodeOptions['grants']> = [
  { capability: 'mail.search', mode: 'allow' },
  { capability: 'mail.broken', mode: 'allow' },
  { capability: 'file.put', mode: 'allow', accepts: { '/text': ANY } },
  { capability: 'upper', mode: 'allow' },
];

let open: Runtime | undefined;
const asked: ApprovalRequest[] = [];
let answer: ApprovalAnswer = { approved: true };
const stores: string[] = [];
afterEach(async () => {
  await open?.close();
  seen.length = 0;
  asked.length = 0;
  answer = { approved: true };
  for (const each of stores.splice(0)) rmSync(each, { recursive: true, force: true });
});

async function opened(more: NodeOptions = {}): Promise<Runtime> {
  open = await openRuntime({
    tools: [mail, broken, file],
    capabilities: [upper],
    grants,
    approve: async (question) => (asked.push(question), answer),
    ...more,
  });
  return open;
}

const BUDGETS = { max_symbols: 10, max_sections: 5, max_bytes_expanded: 1000, max_expands_per_step: 3 };
const execute = (name: string, args: object) => ({ type: 'EXECUTE', target: `@TOOLS/${name}`, params: { args } });
const READ = { type: 'READ', target: '@desk/a', params: { slice: 'head(1)' } };
const message = (...ops: readonly { readonly target: string }[]) => ({
  intent: 'work',
  refs: [...new Set(ops.map(({ target }) => target))],
  ops,
  budgets: BUDGETS,
  required_outputs: [],
});
const END = { ...message(), intent: 'done' };

/** Runs messages, and gives the requests of the model. */
async function told(runtime: Runtime, ...messages: readonly object[]) {
  const script = fromScript([...messages, END]);
  const requests: Parameters<typeof script.propose>[0][] = [];
  const model = {
    ...script,
    propose: (...given: Parameters<typeof script.propose>) => {
      requests.push(given[0]);
      return script.propose(...given);
    },
  };
  const run = runtime.start({ dialect: 'catalytic', task: 't', model });
  const end = await run.result;
  const replies = requests
    .at(-1)
    ?.messages.flatMap(({ kind, content }) => (kind === 'observation' ? [JSON.parse(content)] : []));
  return { run, end, replies, requests: JSON.stringify(requests), first: requests[0] };
}

async function withPage(runtime: Runtime): Promise<void> {
  await runtime.content.add([{ path: 'a.md', bytes: new TextEncoder().encode('secret page\n') }]);
  await runtime.content.define({
    symbol_id: '@desk/a',
    target_type: 'FILE',
    target_ref: 'a.md',
    default_slice_policy: 'head(1)',
  });
}

const waiting = (session: Session) =>
  new Promise<void>((resolve) => {
    session.run.watch(({ pending }) => pending && resolve());
  });

describe('messages of operations', () => {
  test('a run passes on what its model never reads, and each receipt has the true status', async () => {
    const runtime = await opened();
    const at = { $held: 'h1.1', at: '/operations/0/result/0/text' };
    const { run, end, replies, requests } = await told(
      runtime,
      message(execute('upper', { text: 'a' }), execute('mail.search', {})),
      message(execute('file.put', { text: at })),
      message(execute('mail.broken', {})),
    );
    expect(end.state).toBe('completed');
    expect(requests).not.toContain('secret');
    expect(replies).toEqual([
      {
        result: {
          operations: [{ type: 'EXECUTE', target: '@TOOLS/upper', status: 'SUCCESS', result: 'A' }],
          rest: { $held: 'h1.1' },
        },
        status: 'success',
      },
      { result: { $held: 'h2.0' }, status: 'success' },
      { result: { $held: 'h3.0' }, status: 'success' },
    ]);
    expect([seen, asked]).toEqual([['secret: 12:30?'], []]);
    const rows = await runtime.held.list(run.id);
    expect(rows.map(({ handle, status, steps }) => [handle, status, steps])).toEqual([
      ['h1.1', 'success', []],
      ['h2.0', 'success', [1]],
      ['h3.0', 'error', []],
    ]);
    expect(await runtime.held.open(run.id, 'h1.1')).toMatchObject({
      value: { outcome: { ok: true, value: { operations: [{ status: 'SUCCESS', result: MAILS }] } } },
    });
    expect(await runtime.held.open(run.id, 'h3.0')).toMatchObject({
      value: { outcome: { ok: false, refusal: { code: 'host_failed' } } },
    });
    expect((await runtime.ledger.verify(run.id)).ok).toBe(true);
    await expectReplayed(await runtime.ledger.export(run.id, { secrets: true }));
    const shared = await runtime.ledger.export(run.id);
    expect([(await verified(shared)).ok, shared.includes('secret')]).toEqual([true, false]);
  });

  test('a standing answer inside a held message is about all that led to its call', async () => {
    const writer = defineCapability({
      ...common,
      name: 'writer',
      effect: 'write',
      labels: [],
      args: TEXT,
      tools: ['file.put'],
      run: ({ text }, powers) => powers.tools.call('file.put', { text }),
    });
    const runtime = await opened({
      capabilities: [writer],
      grants: [...grants.slice(0, 2), { capability: 'file.put', mode: 'ask' }, { capability: 'writer', mode: 'allow' }],
    });
    answer = { approved: true, standing: { args: 'any' } };
    const write = execute('writer', { text: 'a' });
    const { run } = await told(runtime, message(execute('mail.search', {}), write, write));
    expect(asked.map(({ carries }) => carries)).toEqual([[{ pointer: '', labels: ANY, sources: [] }]]);
    await expectReplayed(await runtime.ledger.export(run.id, { secrets: true }));
  });

  test('a READ is held by its grant, and a program reads its text on purpose', async () => {
    const runtime = await opened({
      grants: [...grants, { capability: 'content.read', mode: 'allow', held: true }],
    });
    await withPage(runtime);
    const handle = { $held: 'h1.0', at: '/operations/0/text' };
    const { run, replies } = await told(runtime, message(READ), message(execute('held.read', { handle })));
    expect(replies).toMatchObject([
      { result: { $held: 'h1.0' } },
      { result: { operations: [{ result: { value: 'secret page\n' } }] } },
    ]);
    expect(asked).toMatchObject([
      {
        capability: 'held.read',
        carries: [{ pointer: '/handle', handle: 'h1.0', labels: ANY, sources: ['content.read'] }],
      },
    ]);
    await expectReplayed(await runtime.ledger.export(run.id, { secrets: true }));
  });

  test('a message is cut off between operations that are told and those that are held', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'held-'));
    const copy = mkdtempSync(join(tmpdir(), 'held-copy-'));
    stores.push(directory, copy);
    let reached: () => void = () => undefined;
    let release: () => void = () => undefined;
    const isThere = new Promise<void>((resolve) => {
      reached = resolve;
    });
    const slow = defineTool({
      ...common,
      name: 'mail.slow',
      effect: 'read',
      held: true,
      args: {},
      run: () => (reached(), new Promise<string>((resolve) => (release = () => resolve('late')))),
    });
    const more = {
      tools: [slow, file],
      grants: [...grants.slice(2), { capability: 'mail.slow', mode: 'allow' as const }],
    };
    const first = await opened({ ...more, store: { directory } });
    const model = fromScript([
      message(execute('upper', { text: 'a' }), execute('mail.slow', {}), execute('upper', { text: 'b' })),
    ]);
    const run = first.start({ dialect: 'catalytic', task: 't', model });
    run.result.catch(() => undefined);
    await isThere;
    cpSync(directory, copy, { recursive: true });
    release();
    await first.close();
    for (const name of readdirSync(copy)) if (name.includes('lock')) rmSync(join(copy, name), { recursive: true });
    const second = await opened({ ...more, store: { directory: copy } });
    const after = fromScript([END]);
    const again = await second.resume(run.id, after);
    await again.run();
    await again.result;
    const rows = await second.held.list(run.id);
    expect(rows.map(({ handle, status }) => [handle, status])).toEqual([['h1.1', 'error']]);
    const records = await second.ledger.records(run.id);
    const reply = records.find(({ kind }) => kind === 'observation')?.body as {
      payload: { sha256: string; bytes: number };
    };
    const bytes = await second.ledger.payload(run.id, reply.payload);
    expect(JSON.parse(new TextDecoder().decode(bytes))).toEqual({
      result: {
        operations: [{ type: 'EXECUTE', target: '@TOOLS/upper', status: 'SUCCESS', result: 'A' }],
        rest: { $held: 'h1.1' },
      },
      status: 'success',
    });
    await expectReplayed(await second.ledger.export(run.id, { secrets: true }));
  });

  test('a question about a message with handles is put again after a restart, with the values', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'held-'));
    const copy = mkdtempSync(join(tmpdir(), 'held-copy-'));
    stores.push(directory, copy);
    const strict = grants
      .map((grant) => ({ ...grant, accepts: undefined as never }))
      .map(({ accepts: _, ...grant }) => grant);
    const more = { grants: strict, approve: undefined as never };
    const first = await opened({ ...more, store: { directory } });
    const text = { $held: 'h1.0', at: '/operations/0/result/0/text' };
    const model = fromScript([
      message(execute('mail.search', {})),
      message(execute('upper', { text: 'a' }), execute('file.put', { text })),
    ]);
    const run = first.start({ dialect: 'catalytic', task: 't', model });
    run.result.catch(() => undefined);
    await new Promise<void>((resolve) => {
      run.watch(({ pending }) => pending && resolve());
    });
    cpSync(directory, copy, { recursive: true });
    await first.close();
    for (const name of readdirSync(copy)) if (name.includes('lock')) rmSync(join(copy, name), { recursive: true });
    const second = await opened({ ...more, store: { directory: copy } });
    const again = await second.resume(run.id, fromScript([END]));
    expect(again.view.pending?.args).toBe('{"text":"secret: 12:30?"}');
    await again.answer(again.view.pending?.digest ?? '', { approved: true });
    await again.run();
    await again.result;
    expect(seen).toEqual(['secret: 12:30?']);
    await expectReplayed(await second.ledger.export(run.id, { secrets: true }));
  });
});

describe('held.read', () => {
  test('is offered where something can hold, asks by default, and shows what would be read', async () => {
    const runtime = await opened();
    const session = runtime.openSession();
    expect((await session.tools()).map(({ name }) => name)).toContain('held.read');
    await session.call('mail.search', {});
    const handle = { $held: 'h1', at: '/0/subject' };
    expect(await session.preview('held.read', { handle })).toMatchObject({ decision: 'REQUIRES_APPROVAL' });
    const read = await session.call('held.read', { handle });
    expect(read).toMatchObject({ ok: true, value: { value: 'Lunch' }, labels: ANY });
    expect(asked).toMatchObject([
      {
        args: '{"handle":{"value":"Lunch"}}',
        carries: [{ pointer: '/handle', handle: 'h1', labels: ANY, sources: ['mail.search'] }],
      },
    ]);
    answer = { approved: false, reason: 'no' };
    expect(await session.call('held.read', { handle })).toMatchObject({
      ok: false,
      refusal: { code: 'approval_denied' },
    });
    expect(await session.call('held.read', { handle: { $held: 'h9' } })).toMatchObject({
      refusal: { code: 'held_unknown' },
    });
    await session.call('mail.broken', {});
    answer = { approved: true };
    expect(await session.call('held.read', { handle: { $held: 'h5' } })).toMatchObject({
      ok: true,
      value: { refusal: { code: 'host_failed' } },
    });
    await session.close();
    await expectReplayed(await runtime.ledger.export(session.run.id, { secrets: true }));
  });

  test('a file without its values shows that nobody was asked', async () => {
    const runtime = await opened();
    const session = runtime.openSession();
    await session.call('mail.search', {});
    await session.call('held.read', { handle: { $held: 'h1' } });
    await session.close();
    for (const secrets of [true, false]) {
      const text = await runtime.ledger.export(session.run.id, { secrets });
      const unasked = rewrite(text, ({ kind, body }) =>
        kind === 'approval' || body['decision'] === 'REQUIRES_APPROVAL' ? undefined : body,
      );
      expect([(await verified(text)).ok, (await verified(unasked)).ok]).toEqual([true, false]);
    }
  });

  test('a grant of its own decides, and an erased value is not there', async () => {
    const runtime = await opened({ grants: [...grants, { capability: 'held.read', mode: 'allow' }] });
    const session = runtime.openSession();
    await session.call('mail.search', {});
    expect(await session.call('held.read', { handle: { $held: 'h1' } })).toMatchObject({ value: { value: MAILS } });
    expect(asked).toEqual([]);
    const records = await runtime.ledger.records(session.run.id);
    const receipt = records.find(({ kind }) => kind === 'receipt')?.body as {
      evidence: { held: { outcome: { sha256: string } } };
    };
    const plain = await runtime.openSession({ offer: ['upper'] }).tools();
    expect(plain.map(({ name }) => name)).toEqual(['upper']);
    await session.close();
    await runtime.ledger.erase(session.run.id, { payloads: [receipt.evidence.held.outcome.sha256] });
    expect((await verified(await runtime.ledger.export(session.run.id, { secrets: true }))).ok).toBe(true);
  });

  test('an open question about a read is put again after a restart', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'held-'));
    const copy = mkdtempSync(join(tmpdir(), 'held-copy-'));
    stores.push(directory, copy);
    const first = await opened({ store: { directory }, approve: undefined as never });
    const session = first.openSession({ questions: 'wait' });
    await session.call('mail.search', {});
    session.call('held.read', { handle: { $held: 'h1', at: '/0/text' } }).catch(() => undefined);
    await waiting(session);
    cpSync(directory, copy, { recursive: true });
    await first.close();
    for (const name of readdirSync(copy)) if (name.includes('lock')) rmSync(join(copy, name), { recursive: true });
    const second = await opened({ store: { directory: copy }, approve: undefined as never });
    const again = second.openSession({ resume: session.run.id, questions: 'wait' });
    await waiting(again);
    expect(again.run.view.pending?.args).toBe('{"handle":{"value":"secret: 12:30?"}}');
    await again.run.answer(again.run.view.pending?.digest ?? '', { approved: true });
    expect(await again.resumed).toMatchObject({ ok: true, value: { value: 'secret: 12:30?' }, labels: ANY });
    await again.close();
    await expectReplayed(await second.ledger.export(session.run.id, { secrets: true }));
  });
});

describe('what a session offers', () => {
  test('a place of the arguments may be a handle where something can hold, and nowhere else', async () => {
    const argsOf = async (runtime: Runtime) =>
      (await runtime.openSession().tools()).find(({ name }) => name === 'file.put')?.args;
    expect(await argsOf(await opened())).toMatchObject({
      type: 'object',
      properties: { text: { anyOf: [{ type: 'string' }, { $ref: expect.any(String) }] } },
    });
    await open?.close();
    const plain = await opened({ tools: [file], grants: grants.slice(2) });
    expect(await argsOf(plain)).toEqual(TEXT);
    expect((await plain.openSession().tools()).map(({ name }) => name)).not.toContain('held.read');
    expect((await plain.capabilities.list()).map(({ name }) => name)).not.toContain('held.read');
  });

  test('a model is told in one sentence what a handle is, and its schema takes handles', async () => {
    const { first } = await told(await opened());
    const opening = first?.messages[0]?.content;
    expect(opening).toContain('A result {"$held":"h12"} is a handle');
    expect(opening).toContain('{"$held":"h12.1"}');
    expect(JSON.stringify(first?.proposalSchema)).toContain('A handle, in the place of the value');
  });
});

describe('content that a program reads', () => {
  test('is held by the grant of the read, with a budget of its own', async () => {
    const runtime = await opened({
      tools: [],
      capabilities: [upper, ...CORPUS_CAPABILITIES],
      grants: [
        { capability: 'upper', mode: 'allow' },
        { capability: 'corpus.read', mode: 'allow' },
        { capability: 'content.read', mode: 'allow', held: true },
      ],
    });
    await withPage(runtime);
    const session = runtime.openSession({ limits: { expandedBytes: 20 } });
    const args = { ref: '@desk/a', slice: 'head(1)' };
    const calls = [await session.call('corpus.read', args), await session.call('corpus.read', args)];
    expect(calls.map(({ ok, ...called }) => [ok, 'held' in called && called.held])).toEqual([
      [true, 'h1'],
      [true, 'h2'],
    ]);
    expect((await runtime.held.list(session.run.id)).map(({ status }) => status)).toEqual(['success', 'error']);
    await session.close();
    await expectReplayed(await runtime.ledger.export(session.run.id, { secrets: true }));
  });
});
