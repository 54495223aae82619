import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { fromMcp, type McpNotice, type McpOptions, type McpSource } from '../../../../../workers/mcp.ts';
import type { Runtime, Session } from '../../../../../workers/node.ts';
import { temporaryFolder } from '../../../../folder.ts';
import { openRuntime } from '../../../../runtime/shared.ts';
import { script } from './serve.ts';

interface Opened {
  readonly source: McpSource;
  readonly notices: McpNotice[];
}

/** A file that counts the starts of the server. */
function startsFile(): string {
  return join(temporaryFolder(), 'starts');
}

async function opened(mode: string, options: Partial<McpOptions> = {}, starts = startsFile()): Promise<Opened> {
  const notices: McpNotice[] = [];
  const command = { ...script('hostile.mjs', mode, starts), env: { API_KEY: 'key-of-the-server' } };
  const source = await fromMcp(command, { prefix: 'h', onNotice: (each) => void notices.push(each), ...options });
  onTestFinished(() => source.close());
  return { source, notices };
}

async function sessionOf(source: McpSource): Promise<Session & { readonly runtime: Runtime }> {
  const tools = await source.list();
  const runtime = await openRuntime({
    tools: [source],
    grants: tools.map(({ name }) => ({ capability: name, mode: 'allow' as const })),
    guard: false,
  });
  onTestFinished(() => runtime.close());
  return Object.assign(runtime.openSession(), { runtime });
}

const failed = (name: string) => ({ ok: false, refusal: { code: 'capability_threw', details: { error: { name } } } });

const FAULTS: readonly (readonly [string, object])[] = [
  ['duplicate', failed('duplicate_member')],
  ['unsafe', failed('number_precision')],
  ['surrogate', failed('lone_surrogate')],
  ['deep', failed('limit_depth')],
  ['bytes', failed('utf8')],
  ['long', failed('limit_size')],
  ['large', { ok: true, value: { content: [{ type: 'text', omitted: 10 << 20 }] } }],
  ['wrong', { ok: false, refusal: { code: 'effect_done', details: { because: 'result_schema' } } }],
  ['missing', failed('mcp_error')],
  ['malformed', failed('mcp_invalid')],
  ['refused', failed('mcp_error')],
];

it('a call whose answer breaks the rules fails with the reason, and the next call works', async () => {
  const { source } = await opened('plain');
  const session = await sessionOf(source);
  for (const [tool, expected] of FAULTS) {
    expect(await session.call(`h.${tool}`, {}), tool).toMatchObject(expected);
    expect(await session.call('h.told', {}), tool).toMatchObject({ ok: true, value: { content: [{ text: '[]' }] } });
  }
});

it('bytes beside the messages of a server are told and left out', async () => {
  const { source, notices } = await opened('plain');
  const session = await sessionOf(source);
  expect(await session.call('h.noise', {})).toMatchObject({
    ok: true,
    value: { content: [{ text: 'after the noise' }] },
  });
  expect(notices.filter(({ kind }) => kind === 'message_refused')).toEqual([
    expect.objectContaining({ code: 'json_syntax' }),
    expect.objectContaining({ code: 'duplicate_member' }),
    expect.objectContaining({ code: 'not_object' }),
  ]);
});

it('a call that is aborted is cancelled at the server, and its late answer is ignored', async () => {
  const { source, notices } = await opened('plain');
  const session = await sessionOf(source);
  const aborted = new AbortController();
  const call = session.call('h.late', {}, { signal: aborted.signal });
  await vi.waitFor(() => expect(notices).toContainEqual({ kind: 'log', level: 'info', text: 'called' }));
  aborted.abort(new Error('enough'));
  await expect(call).rejects.toThrow('enough');
  const told = await session.call('h.told', {});
  expect(JSON.stringify(told)).toContain('notifications/cancelled');
});

it('a call over its time ends with deadline_exceeded and is cancelled at the server', async () => {
  const { source } = await opened('plain', { timeoutMs: 200 });
  const session = await sessionOf(source);
  expect(await session.call('h.never', {})).toMatchObject({ ok: false, refusal: { code: 'deadline_exceeded' } });
  await vi.waitFor(async () => expect(JSON.stringify(await session.call('h.told', {}))).toContain('cancelled'));
});

it('a flood of notifications becomes few notices and few lists', async () => {
  let lists = 0;
  const { source, notices } = await opened('plain');
  source.changed?.(() => lists++);
  const session = await sessionOf(source);
  const since = performance.now();
  expect(await session.call('h.flood', {})).toMatchObject({ ok: true });
  const tenths = Math.ceil((performance.now() - since) / 100);
  // of 10,000 changes two a second become a list; of 10,000 messages a hundred are told, and then ten a second
  expect(lists).toBeLessThanOrEqual(tenths / 5 + 2);
  expect(notices.length).toBeLessThanOrEqual(110 + 2 * tenths);
  expect(notices.length).toBeGreaterThanOrEqual(100);
});

it('requests of a server for sampling, roots, elicitation, tasks and others are refused, and told', async () => {
  const { source, notices } = await opened('plain');
  const session = await sessionOf(source);
  const asked = ['sampling/createMessage', 'roots/list', 'elicitation/create', 'tasks/list', 'shell/run'];
  const called = await session.call('h.asks', {});
  const replies = asked.map((method) => [`ask ${method}`, -32601]);
  expect(called).toMatchObject({ ok: true, value: { content: [{ text: JSON.stringify(replies) }] } });
  expect(notices.flatMap((each) => (each.kind === 'request_refused' ? [each.method] : []))).toEqual(asked);
});

it('a key is in no answer, no error and no notice, and a child gets named variables only', async () => {
  process.env['SALLYPORT_TEST_VARIABLE'] = 'not for the child';
  onTestFinished(() => void delete process.env['SALLYPORT_TEST_VARIABLE']);
  const { source, notices } = await opened('plain');
  const session = await sessionOf(source);
  const keys = await session.call('h.keys', {});
  expect(keys).toMatchObject({ ok: true });
  const error = await session.call('h.refused', {});
  const text = JSON.stringify([keys, error, notices, await session.runtime.ledger.export(session.run.id)]);
  expect(text).not.toContain('key-of-the-server');
  expect(text).toContain('(secret)');
  expect(text).not.toContain('SALLYPORT_TEST_VARIABLE');
});

describe('a child that ends', () => {
  it('in the middle of a call fails the call, is started again, and is not asked again by itself', async () => {
    const starts = startsFile();
    const { source, notices } = await opened('plain', {}, starts);
    const session = await sessionOf(source);
    expect(await session.call('h.dies', {})).toMatchObject(failed('mcp_connection'));
    expect(await session.call('h.told', {})).toMatchObject({ ok: true });
    expect(readFileSync(starts, 'utf8')).toBe('xx');
    const told = notices.flatMap((each) => (each.kind === 'connection' ? [each.status] : []));
    expect(told).toEqual(['connected', 'connecting', 'connected']);
  });

  it('at the question for its version is asked in the older way', async () => {
    const { source } = await opened('exits');
    expect(source.server).toMatchObject({ name: 'hostile\\u202e', protocol: '2025-11-25' });
  });

  it('again and again is given up after five attempts, and each call tries once more', async () => {
    const starts = startsFile();
    const { source, notices } = await opened('crashes', {}, starts);
    const session = await sessionOf(source);
    expect(await session.call('h.dies', {})).toMatchObject(failed('mcp_connection'));
    await vi.waitFor(() => expect(source.status).toBe('failed'), { timeout: 60_000 });
    expect(notices.at(-1)).toMatchObject({ kind: 'connection', status: 'failed' });
    const before = readFileSync(starts, 'utf8').length;
    expect(await session.call('h.told', {})).toMatchObject(failed('mcp_connection'));
    expect(readFileSync(starts, 'utf8').length - before).toBeLessThanOrEqual(1);
  });

  it('is started again, and ended where the source is closed before it answers', async () => {
    const starts = startsFile();
    const { source } = await opened('hangs', {}, starts);
    const session = await sessionOf(source);
    expect(await session.call('h.dies', {})).toMatchObject(failed('mcp_connection'));
    await vi.waitFor(() => expect(readFileSync(starts, 'utf8')).toBe('xx'), { timeout: 30_000 });
    await source.close();
    expect(readFileSync(starts, 'utf8')).toBe('xx.');
    expect(source.status).toBe('closed');
  });

  it('before it is connected rejects with mcp_unavailable', async () => {
    const missing = fromMcp({ command: '/no/such/server' }, { prefix: 'h' });
    await expect(missing).rejects.toMatchObject({
      code: 'mcp_unavailable',
      details: { origin: 'mcp:stdio:/no/such/server' },
    });
  });
});

describe('a list of tools', () => {
  it.each([
    ['endless', 100, 'has more than 100 pages'],
    ['many', 1000, 'lists more than 1000 tools'],
  ])('that is %s is taken as far as it was read, and told', async (mode, count, reason) => {
    const { source, notices } = await opened(mode);
    expect(await source.list()).toHaveLength(count);
    const text = expect.stringContaining(reason);
    expect(notices).toContainEqual({ kind: 'part_refused', code: 'definition_invalid', text });
  });

  it('that is none refuses the server', async () => {
    const message = expect.stringContaining('without a list of tools');
    await expect(opened('no list')).rejects.toMatchObject({ code: 'mcp_unavailable', message });
  });

  it('that is poisoned gives the tools that can be taken, with what is hidden made visible', async () => {
    const { source, notices } = await opened('poisoned', { resources: true });
    const tools = await source.list();
    expect(tools.map(({ name }) => name)).toEqual([
      'h.resources.list',
      'h.resources.read',
      expect.stringMatching(/^h\.a_b_[0-9a-f]{8}$/),
      expect.stringMatching(/^h\.a_b_[0-9a-f]{8}$/),
      'h.hidden',
      expect.stringMatching(/^h\.no_schema_[0-9a-f]{8}$/),
      expect.stringMatching(/^h\.resources_list_[0-9a-f]{8}$/),
      'h.smuggler',
      'h.twice',
    ]);
    const named = (name: string) => tools.find((each) => each.name === name);
    expect(named('h.resources.list')).toMatchObject({ effect: 'read', labels: ['private', 'untrusted'] });
    expect(named('h.resources.list')?.description).not.toBe('not ours');
    expect(named('h.hidden')?.description).toMatch(/^Adds\.(\\u\{e00[0-9a-f]{2}\})+$/);
    expect(JSON.stringify(named('h.hidden')?.args)).toContain('x\\\\u202ey');
    expect(named('h.twice')?.description).toBe('first');
    expect(source.refused.map(({ refusal }) => refusal.code)).toEqual(source.refused.map(() => expect.any(String)));
    expect(source.refused).toHaveLength(5);
    expect(notices.filter(({ kind }) => kind === 'tool_refused')).toHaveLength(5);
  });

  it('has the same names in whatever order the server lists it', async () => {
    const rows = async (mode: string) => {
      const { source } = await opened(mode);
      return (await source.list()).map(({ name, description }) => [name, name === 'h.twice' ? '' : description]);
    };
    expect(await rows('reversed')).toEqual(await rows('poisoned'));
  });

  it('that changes replaces the changed tool, whose grant ends', async () => {
    const { source } = await opened('plain');
    const session = await sessionOf(source);
    const { runtime } = session;
    const described = async () =>
      (await runtime.capabilities.list()).find(({ name }) => name === 'h.changes')?.description;
    expect(await described()).toBe('version 1');
    expect(await session.call('h.changes', {})).toMatchObject({ ok: true });
    await vi.waitFor(async () => expect(await described()).toBe('version 2'));
    const later = runtime.openSession();
    expect(await later.call('h.changes', {})).toMatchObject({ ok: false, refusal: { class: 'authorization' } });
  });

  it('is cut to the names that the program wants', async () => {
    const { source } = await opened('plain', { names: ['told'] });
    expect((await source.list()).map(({ name }) => name)).toEqual(['h.told']);
  });
});
