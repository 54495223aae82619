import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { fromMcp, type McpNotice, type McpOptions } from '../../../../../workers/mcp.ts';
import { openRuntime } from '../../../../runtime/shared.ts';
import { script } from './serve.ts';

interface Answered {
  readonly tools: readonly string[];
  readonly call: string;
  /** What was told of parts that were not taken. */
  readonly told: readonly string[];
  /** Names of the declarations that became no tool. */
  readonly refused: readonly (string | undefined)[];
}

/** The names of the tools, and what a call of `echo` ends in. */
async function answered(given: object | string, more: Partial<McpOptions> = {}): Promise<Answered> {
  const server = script('manners.mjs', typeof given === 'string' ? given : JSON.stringify(given));
  const told: string[] = [];
  const onNotice = (notice: McpNotice): void =>
    void (notice.kind === 'part_refused' && told.push(`${notice.name ?? 'list'}: ${notice.text}`));
  const terms = { prefix: 's', effect: 'read', labels: [], timeoutMs: 20_000, onNotice, ...more } as const;
  const source = await fromMcp(server, terms);
  const runtime = await openRuntime({ tools: [source], grants: [{ capability: 's.echo', mode: 'allow' }] });
  onTestFinished(() => runtime.close());
  const session = runtime.openSession();
  const tools = (await session.tools()).map(({ name }) => name);
  const called = await session.call('s.echo', {});
  const refused = source.refused.map(({ name }) => name);
  return { tools, told, refused, call: JSON.stringify(called.ok ? called.value : called.refusal) };
}

const answer = (members: string): object => ({ raw: { 'tools/call': `{${members}}` } });
const DONE = '"result":{"content":[{"type":"text","text":"done"}]}';
const BASE = '"jsonrpc":"2.0","id":"@id"';

const CALLS: readonly (readonly [about: string, given: object, expected: string])[] = [
  ['error is null beside a result', answer(`${BASE},${DONE},"error":null`), 'done'],
  ['jsonrpc is missing', answer(`"id":"@id",${DONE}`), 'done'],
  [
    'members of the result are null',
    answer(
      `${BASE},"result":{"content":[{"type":"text","text":"done","annotations":null,"_meta":null}],"isError":null,"structuredContent":null,"_meta":null}`,
    ),
    'done',
  ],
  ['an error has no message', answer(`${BASE},"error":{"code":-1}`), 'does not say why'],
  ['an error is a text', answer(`${BASE},"error":"disk full"`), 'disk full'],
  ['a result is no object', answer(`${BASE},"result":7`), 'wrong_type'],
  ['a response has neither result nor error', answer(BASE), 'wrong_type'],
];

it.each(CALLS)('a call ends at once where %s', async (_about, given, expected) => {
  expect((await answered(given)).call).toContain(expected);
});

const listOf = (tools: string, more = ''): object => ({
  raw: { 'tools/list': `{${BASE},"result":{"tools":[${tools}]${more}}}` },
});
const ECHO = '{"name":"echo","inputSchema":{"type":"object"}}';
const BIG =
  '{"name":"big","inputSchema":{"type":"object","properties":{"n":{"type":"integer","minimum":-9223372036854775809,"maximum":9223372036854775807}}}}';

const LISTS: readonly (readonly [about: string, given: object, tools: readonly string[]])[] = [
  ['a bound is no double', listOf(`${ECHO},${BIG}`), ['s.big', 's.echo']],
  ['a cursor is empty', listOf(ECHO, ',"nextCursor":""'), ['s.echo']],
  ['a cursor is repeated for ever', listOf(ECHO, ',"nextCursor":"x"'), ['s.echo']],
  [
    'a pattern is right without the flag u alone',
    {
      tools: ['^https\\:\\/\\/', '^[\\w-.]+$', '^{name}$', 'a\\_b'].map((pattern, nth) => ({
        name: nth === 0 ? 'echo' : `p${nth}`,
        inputSchema: { type: 'object', properties: { t: { type: 'string', pattern } } },
      })),
    },
    ['s.echo', 's.p1', 's.p2', 's.p3'],
  ],
  [
    'instructions and a capability are null',
    {
      raw: {
        initialize: `{${BASE},"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{},"logging":null},"serverInfo":{"name":"n","version":"1"},"instructions":null}}`,
      },
    },
    ['s.echo'],
  ],
];

it.each(LISTS)('the tools of a server are there where %s', async (_about, given, tools) => {
  expect((await answered(given)).tools).toEqual(tools);
});

const UNTAKEN = '{"type":"object","properties":{"r":{"type":"string","pattern":"(?P<n>a)"}}}';

it('a schema of results that cannot be taken costs its check, and not its tool', async () => {
  const listed = listOf(`{"name":"echo","inputSchema":{"type":"object"},"outputSchema":${UNTAKEN}}`);
  const { tools, call, told, refused } = await answered(listed);
  expect([tools, refused]).toEqual([['s.echo'], []]);
  expect(call).toContain('done');
  expect(told).toEqual([expect.stringMatching(/^echo: .*pattern/)]);
});

it.each([
  ['a number that no double holds', '{"type":"object","properties":{"n":{"default":12345678901234567890}}}'],
  ['a member twice', '{"type":"object","type":"object"}'],
])('a declaration with %s costs its tool alone', async (_about, schema) => {
  const { tools, refused } = await answered(
    listOf(`${ECHO},{"name":"odd","inputSchema":${schema}},${ECHO.replace('echo', 'last')}`),
  );
  expect([tools, refused]).toEqual([['s.echo', 's.last'], ['odd']]);
});

describe('a number that no double holds', () => {
  const int64 = answer(`${BASE},"result":{"content":[],"structuredContent":{"id":9223372036854775807,"n":1}}`);
  const outputSchema = {
    type: 'object',
    required: ['id'],
    properties: { id: { type: 'integer' }, n: { type: 'integer' } },
  };
  const tools = [{ name: 'echo', inputSchema: { type: 'object' }, outputSchema }];

  it('fails its call, and is never rounded', async () => {
    expect((await answered({ ...int64, tools })).call).toContain('number_precision');
  });

  it('is taken as text where the program says so', async () => {
    const numbers = 'text';
    expect((await answered({ ...int64, tools }, { numbers })).call).toBe('{"id":"9223372036854775807","n":1}');
    const whole = '{"content":[],"structuredContent":{"id":"9223372036854775807","n":1}}';
    expect((await answered(int64, { numbers })).call).toBe(whole);
    const wrong = answer(`${BASE},"result":{"content":[],"structuredContent":{"id":"none"}}`);
    expect((await answered({ ...wrong, tools }, { numbers })).call).toContain('result_schema');
  });
});

/** What a report demands: the tools that are there, what its call says, and that no wait comes before it. */
interface Expected {
  readonly tools?: readonly string[];
  readonly callMatches?: string;
  readonly fast?: true;
}

const FAST_MS = 15_000;

/** What a report comes out as, in place of what it demands. */
async function differences(path: string, { tools, callMatches, fast }: Expected): Promise<readonly string[]> {
  const since = performance.now();
  const came = await answered(path).catch((error: unknown) => ({
    tools: [] as readonly string[],
    call: String(error),
  }));
  const isLate = fast === true && performance.now() - since > FAST_MS;
  const isOther = tools !== undefined && JSON.stringify(came.tools) !== JSON.stringify(tools);
  const isUnsaid = callMatches !== undefined && !new RegExp(callMatches).test(came.call);
  return [
    ...(isLate ? ['late'] : []),
    ...(isOther ? [`tools: ${came.tools.join(' ')}`] : []),
    ...(isUnsaid ? [`call: ${came.call.slice(0, 200)}`] : []),
  ];
}

const { SALLYPORT_REPORTS } = process.env;
const FOLDER = join(SALLYPORT_REPORTS ?? '', 'mcp');
const files =
  SALLYPORT_REPORTS !== undefined && existsSync(FOLDER)
    ? readdirSync(FOLDER).filter((name) => name.endsWith('.json'))
    : [];

/** Reports that come out otherwise, and why. */
const NAMED: Readonly<Record<string, string>> = {};

// `npm run reports` says it where there is none
it.skipIf(files.length === 0 && process.env['npm_lifecycle_event'] !== 'reports')(
  `reports outside the repository (SALLYPORT_REPORTS${files.length === 0 ? ' names none' : ''}) come out right: MCP servers`,
  async () => {
    expect(files, 'SALLYPORT_REPORTS names a folder with inputs').not.toEqual([]);
    const rows: string[] = [];
    for (const file of files.toSorted()) {
      const path = join(FOLDER, file);
      const { expected = {} } = JSON.parse(readFileSync(path, 'utf8')) as { readonly expected?: Expected };
      const found = await differences(path, expected);
      const state = found.length === 0 ? 'right' : Object.hasOwn(NAMED, file) ? 'named' : 'wrong';
      rows.push(`${state}  mcp/${file}  ${NAMED[file] ?? found.join('; ')}`.trimEnd());
    }
    console.info(rows.join('\n'));
    expect(rows.filter((row) => row.startsWith('wrong'))).toEqual([]);
  },
  300_000,
);

it('a transport of the program, which rounds numbers by itself, is not asked for their text', async () => {
  const transport = { start: async () => undefined, send: async () => undefined, close: async () => undefined };
  const opening = fromMcp({ transport }, { prefix: 's', numbers: 'text' });
  await expect(opening).rejects.toMatchObject({ code: 'option_invalid', details: { name: 'numbers' } });
});

it('a server behind a shell ends with its source within five seconds', async () => {
  const stubborn = `process.on('SIGTERM', () => undefined); setInterval(() => undefined, 1000); console.error('pid', process.pid)`;
  const { args = [] } = script('manners.mjs');
  const line = `"${process.execPath}" -e "${stubborn}" & "${process.execPath}" "${args[0]}"; echo end >&2`;
  let pid = 0;
  const source = await fromMcp(
    { command: '/bin/sh', args: ['-c', line] },
    {
      prefix: 's',
      onNotice: (notice) => void (notice.kind === 'log' && (pid ||= Number(/pid (\d+)/.exec(notice.text)?.[1] ?? 0))),
    },
  );
  await expect.poll(() => pid, { timeout: 10_000 }).toBeGreaterThan(0);
  const since = performance.now();
  await source.close();
  expect(performance.now() - since).toBeLessThan(5000);
  await expect.poll(() => isAlive(pid)).toBe(false);
});

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
