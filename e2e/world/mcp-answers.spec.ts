import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, test } from '@playwright/test';
import type { Host } from '../../test/workers/bridges/mcp/gateway/host.ts';
import { hostOf } from './mcp-host.ts';

/** Servers whose answers are compared with and without the gateway. */
const PACKAGES = [
  '@modelcontextprotocol/server-everything@2026.8.31',
  '@modelcontextprotocol/server-filesystem@2026.8.31',
  '@modelcontextprotocol/server-memory@2026.8.31',
  '@modelcontextprotocol/server-sequential-thinking@2026.8.31',
  '@cyanheads/git-mcp-server@2.15.3',
];

type Call = readonly [tool: string, args: object];

interface Compared {
  readonly name: string;
  /** Program of the server, below `node_modules`. */
  readonly program: string;
  /** `at` names a file of the folder that the server works in, which is made anew for each side. */
  readonly args: (at: (name: string) => string) => readonly string[];
  readonly env: (at: (name: string) => string) => Readonly<Record<string, string>>;
  /** Calls in their order, each tool at least once. */
  readonly calls: (at: (name: string) => string) => readonly Call[];
}

const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const DAY = '2026-01-02T03:04:05Z';
const GIT = {
  GIT_AUTHOR_NAME: 'Ada',
  GIT_AUTHOR_EMAIL: 'ada@example.test',
  GIT_AUTHOR_DATE: DAY,
  GIT_COMMITTER_NAME: 'Ada',
  GIT_COMMITTER_EMAIL: 'ada@example.test',
  GIT_COMMITTER_DATE: DAY,
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_NOSYSTEM: '1',
};

const SERVERS: readonly Compared[] = [
  {
    name: 'filesystem',
    program: '@modelcontextprotocol/server-filesystem/dist/index.js',
    args: (at) => [at('')],
    env: () => ({}),
    calls: (at) => [
      ['read_file', { path: at('a.md') }],
      ['read_text_file', { path: at('a.md'), head: 2 }],
      ['read_text_file', { path: '/etc/hosts' }],
      ['read_text_file', { path: at('none.md') }],
      ['read_text_file', { path: at('long.md') }],
      ['read_media_file', { path: at('a.png') }],
      ['read_multiple_files', { paths: [at('a.md'), at('none.md'), at('sub/b.md')] }],
      ['write_file', { path: at('new.md'), content: 'new “text”\n' }],
      ['edit_file', { path: at('a.md'), edits: [{ oldText: 'two', newText: '2' }] }],
      ['create_directory', { path: at('made') }],
      ['list_directory', { path: at('') }],
      ['list_directory_with_sizes', { path: at('') }],
      ['directory_tree', { path: at('') }],
      ['move_file', { source: at('new.md'), destination: at('made/new.md') }],
      ['search_files', { path: at(''), pattern: '**/*.md' }],
      ['get_file_info', { path: at('a.md') }],
      ['list_allowed_directories', {}],
    ],
  },
  {
    name: 'memory',
    program: '@modelcontextprotocol/server-memory/dist/index.js',
    args: () => [],
    env: (at) => ({ MEMORY_FILE_PATH: at('memory.json') }),
    calls: () => [
      [
        'create_entities',
        {
          entities: [
            { name: 'Ada', entityType: 'person', observations: ['wrote notes'] },
            { name: 'Engine', entityType: 'machine', observations: [] },
          ],
        },
      ],
      ['create_relations', { relations: [{ from: 'Ada', to: 'Engine', relationType: 'knows' }] }],
      ['add_observations', { observations: [{ entityName: 'Ada', contents: ['counts'] }] }],
      ['add_observations', { observations: [{ entityName: 'Nobody', contents: ['x'] }] }],
      ['read_graph', {}],
      ['search_nodes', { query: 'notes' }],
      ['open_nodes', { names: ['Ada'] }],
      ['delete_observations', { deletions: [{ entityName: 'Ada', observations: ['counts'] }] }],
      ['delete_relations', { relations: [{ from: 'Ada', to: 'Engine', relationType: 'knows' }] }],
      ['delete_entities', { entityNames: ['Engine'] }],
    ],
  },
  {
    name: 'sequential-thinking',
    program: '@modelcontextprotocol/server-sequential-thinking/dist/index.js',
    args: () => [],
    env: () => ({ DISABLE_THOUGHT_LOGGING: 'true' }),
    calls: () => [
      ['sequentialthinking', { thought: 'First.', nextThoughtNeeded: true, thoughtNumber: 1, totalThoughts: 2 }],
      ['sequentialthinking', { thought: 'Then.', nextThoughtNeeded: false, thoughtNumber: 2, totalThoughts: 2 }],
    ],
  },
  {
    name: 'everything',
    program: '@modelcontextprotocol/server-everything/dist/index.js',
    args: () => ['stdio'],
    env: () => ({}),
    calls: () => [
      ['echo', { message: 'Hello.' }],
      ['get-annotated-message', { messageType: 'error', includeImage: true }],
      ['get-annotated-message', { messageType: 'debug' }],
      ['get-env', {}],
      ['get-resource-links', { count: 2 }],
      ['get-resource-reference', { resourceType: 'Text', resourceId: 1 }],
      ['get-resource-reference', { resourceType: 'Blob', resourceId: 2 }],
      ['get-structured-content', { location: 'Chicago' }],
      ['get-sum', { a: 2, b: 40 }],
      ['get-tiny-image', {}],
      ['gzip-file-as-resource', { name: 'a.gz', data: 'data:text/plain,hello', outputType: 'resource' }],
      ['toggle-simulated-logging', {}],
      ['toggle-simulated-logging', {}],
      ['toggle-subscriber-updates', {}],
      ['toggle-subscriber-updates', {}],
      ['trigger-long-running-operation', { duration: 0.2, steps: 2 }],
      ['simulate-research-query', { topic: 'rye' }],
    ],
  },
  {
    name: 'git',
    program: '@cyanheads/git-mcp-server/dist/index.js',
    args: () => [],
    env: (at) => ({ ...GIT, HOME: at(''), MCP_LOG_LEVEL: 'error', LOGS_DIR: at('logs') }),
    calls: (at) => [
      ['git_init', { path: at('other'), initialBranch: 'main' }],
      ['git_clone', { url: `file://${at('remote.git')}`, path: at('clone') }],
      ['git_set_working_dir', { path: at('repo') }],
      ['git_status', {}],
      ['git_add', { paths: ['new.md'] }],
      ['git_diff', { staged: true }],
      ['git_commit', { message: 'add a file' }],
      ['git_log', { maxCount: 5 }],
      ['git_show', { object: 'HEAD' }],
      ['git_blame', { filePath: 'a.md' }],
      ['git_branch', { mode: 'create', branchName: 'side' }],
      ['git_branch', { mode: 'list' }],
      ['git_checkout', { target: 'side' }],
      ['git_checkout', { target: 'main' }],
      ['git_merge', { branch: 'side' }],
      ['git_cherry_pick', { commits: ['topic'] }],
      ['git_rebase', { mode: 'start', upstream: 'main' }],
      ['git_reflog', { maxCount: 3 }],
      ['git_remote', { mode: 'list' }],
      ['git_fetch', { remote: 'origin' }],
      ['git_pull', { remote: 'origin', branch: 'main' }],
      ['git_push', { remote: 'origin', branch: 'main' }],
      ['git_reset', { mode: 'soft', target: 'HEAD' }],
      ['git_stash', { mode: 'list' }],
      ['git_tag', { mode: 'create', tagName: 'v1' }],
      ['git_worktree', { mode: 'list' }],
      ['git_clean', { force: true, dryRun: true }],
      ['git_changelog_analyze', { reviewTypes: ['features'] }],
      ['git_wrapup_instructions', { acknowledgement: 'Y' }],
      ['git_show', { object: 'no-such-object' }],
      ['git_clear_working_dir', { confirm: 'Y' }],
    ],
  },
];

/** What differs from run to run: times and ids. */
const PASSING: readonly (readonly [RegExp, string])[] = [
  [/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)/g, '(time)'],
  [/(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) \w{3} \d\d \d{4} \d\d:\d\d:\d\d GMT[^"\\]*/g, '(time)'],
  [/\d{1,2}:\d\d:\d\d [AP]M/g, '(time)'],
  [/[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}/g, '(id)'],
];

const without = (text: string): string =>
  PASSING.reduce((rest, [passing, word]) => rest.replaceAll(passing, word), text);

let servers = '';
let folder = '';
let reason: string | undefined;
const started = new Set<ChildProcess>();

test.beforeAll(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'sallyport-answers-')));
  servers = join(folder, 'servers');
  mkdirSync(servers);
  writeFileSync(join(servers, 'package.json'), '{ "type": "module" }');
  const args = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--no-save', '--prefer-offline', ...PACKAGES];
  const { status, stderr } = spawnSync('npm', args, {
    cwd: servers,
    encoding: 'utf8',
    shell: process.platform === 'win32',
  });
  if (status !== 0) reason = `the servers cannot be installed: ${/^npm error .+/m.exec(stderr)?.[0]}`;
});
test.beforeEach(() => test.skip(reason !== undefined, reason));
test.afterEach(() => {
  for (const child of started) child.kill('SIGKILL');
  started.clear();
});
test.afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A file of the folder that a server works in. */
const at = (name: string): string => join(folder, 'work', name);

/** The folder of a server as it begins: files, and a repository with its remote. */
function begin(): void {
  rmSync(at(''), { recursive: true, force: true });
  for (const name of ['sub', 'repo']) mkdirSync(at(name), { recursive: true });
  writeFileSync(at('a.md'), 'one\ntwo\nthree\n');
  writeFileSync(at('sub/b.md'), 'b');
  writeFileSync(at('long.md'), 'A line of a long file.\n'.repeat(15_000));
  writeFileSync(at('a.png'), Buffer.from(PIXEL, 'base64'));
  const git = (...words: readonly string[]) =>
    execFileSync('git', words, { cwd: at('repo'), env: { ...process.env, ...GIT }, stdio: 'ignore' });
  const commit = (name: string, text: string) => {
    writeFileSync(at(join('repo', name)), text);
    git('add', name);
    git('commit', '-m', `add ${name}`);
  };
  git('init', '-b', 'main');
  commit('a.md', 'one\ntwo\n');
  git('clone', '--bare', '.', at('remote.git'));
  git('remote', 'add', 'origin', `file://${at('remote.git')}`);
  git('fetch', 'origin');
  git('checkout', '-b', 'topic');
  commit('topic.md', 'topic\n');
  git('checkout', 'main');
  writeFileSync(at('repo/new.md'), 'new\n');
}

/** Variables that the gateway gives to a server beside its own. */
const PLATFORM = ['HOME', 'LANG', 'LOGNAME', 'PATH', 'SHELL', 'TERM', 'TMPDIR', 'USER'];

interface Side {
  readonly host: Host;
  readonly end: () => Promise<void>;
}

function side(command: readonly string[], env: NodeJS.ProcessEnv): Side {
  const child = spawn(process.execPath, command, { cwd: servers, env, stdio: ['pipe', 'pipe', 'pipe'] });
  started.add(child);
  const end = async (): Promise<void> => {
    child.stdin.end();
    await Promise.race([once(child, 'close'), new Promise((done) => setTimeout(done, 5000))]);
    child.kill('SIGKILL');
  };
  return { host: hostOf(child).host, end };
}

function direct(server: Compared): Side {
  const platform = PLATFORM.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]]));
  const env = { ...Object.fromEntries(platform), ...server.env(at) } as NodeJS.ProcessEnv;
  return side([join(servers, 'node_modules', server.program), ...server.args(at)], env);
}

/** The server behind `sallyport mcp`, with a grant for each of its tools. */
function gated(server: Compared, tools: readonly string[]): Side {
  const args = [join(servers, 'node_modules', server.program), ...server.args(at)];
  const terms = { effect: 'read', labels: [], trustHints: false };
  const entry = { command: process.execPath, args, env: server.env(at), ...terms };
  const file = join(folder, `${server.name}.json`);
  const grants = tools.map((tool) => ({ tool: `s.${tool}`, mode: 'allow' }));
  writeFileSync(file, JSON.stringify({ mcpServers: { s: entry }, grants }));
  const words = ['mcp', '--no-page', '--config', file, '--ledger', join(folder, `${server.name}-ledger`)];
  return side([resolve('dist/cli.js'), ...words], { ...process.env, FORCE_COLOR: '0' });
}

/** Answers of all calls, without what differs from run to run, and without what the gateway adds. */
async function answers(
  { host, end }: Side,
  calls: readonly Call[],
  nameOf: (tool: string) => string,
): Promise<string[]> {
  const texts: string[] = [];
  for (const [tool, args] of calls) {
    const told = await host.call(nameOf(tool), args).catch((error: unknown) => ({ error: String(error) }));
    const { _meta = {}, ...rest } = told as { readonly _meta?: object };
    const own = Object.entries(_meta).filter(([key]) => !key.startsWith('sallyport/'));
    texts.push(without(canonical({ ...rest, ...(own.length > 0 && { _meta: Object.fromEntries(own) }) })));
  }
  await end();
  return texts;
}

/** Members in order, and a file as its text, in which a time can stand. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (key, each: unknown) => {
    if (key === 'blob' && typeof each === 'string') return Buffer.from(each, 'base64').toString('latin1');
    if (typeof each !== 'object' || each === null || Array.isArray(each)) return each;
    return Object.fromEntries(Object.entries(each).sort(([one], [other]) => (one < other ? -1 : 1)));
  });
}

for (const server of SERVERS)
  test(`each tool of the server ${server.name} answers through the gateway as it does without`, async () => {
    begin();
    const first = direct(server);
    await first.host.begin();
    const tools = (await first.host.tools()).map(({ name }) => name);
    const calls = server.calls(at);
    expect([...new Set(calls.map(([tool]) => tool))].toSorted()).toEqual(tools.toSorted());
    const plain = await answers(first, calls, (tool) => tool);
    begin();
    const second = gated(server, tools);
    await second.host.begin();
    const listed = new Set((await second.host.tools()).map(({ name }) => name));
    expect(tools.filter((tool) => !listed.has(`s_${tool}`))).toEqual([]);
    const passed = await answers(second, calls, (tool) => `s_${tool}`);
    const rows = calls.map(([tool], nth) => {
      const [one = '', other = ''] = [plain[nth], passed[nth]];
      return `${one === other ? 'equal' : 'other'}  ${server.name} ${tool}  ${firstDifference(one, other)}`.trimEnd();
    });
    console.log(rows.join('\n'));
    expect(rows.filter((row) => row.startsWith('other'))).toEqual([]);
  });

function firstDifference(one: string, other: string): string {
  if (one === other) return '';
  const nth = [...one].findIndex((char, index) => char !== other[index]);
  const from = Math.max(0, (nth < 0 ? one.length : nth) - 40);
  return `${one.slice(from, from + 120)} | ${other.slice(from, from + 120)}`;
}
