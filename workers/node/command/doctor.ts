import { readdir } from 'node:fs/promises';
import { textWithin } from '../../bridges/models/body.ts';
import { headersFor, type Role, roleOf } from '../../lock/headers.ts';
import { type Command, type CommandCall, EXIT, UsageError } from './command.ts';
import { painter } from './terminal.ts';

/** A static host, and the configuration that makes it send the lock's headers. */
export interface Host {
  readonly file: string;
  /** Writes the configuration. `files` are the paths that the host serves, for example `/assets/x.js`. */
  readonly write: (files: readonly string[]) => string;
}

export const HOSTS: { readonly [name: string]: Host } = {
  netlify: { file: '_headers', write: byPath },
  cloudflare: { file: '_headers', write: byPath },
  vercel: { file: 'vercel.json', write: vercel },
  nginx: { file: 'nginx.conf', write: nginx },
  apache: { file: '.htaccess', write: apache },
  caddy: { file: 'Caddyfile', write: caddy },
  next: { file: 'next.config.mjs', write: next },
  express: { file: 'sallyport-headers.mjs', write: express },
  hono: { file: 'sallyport-headers.mjs', write: hono },
  sveltekit: { file: 'server.mjs', write: sveltekit },
  astro: { file: 'server.mjs', write: astro },
  nuxt: { file: 'server/plugins/sallyport.js', write: nuxt },
  'github-pages': { file: 'README', write: serviceWorker },
};

export const doctor: Command = {
  name: 'doctor',
  summary: 'Looks whether a host sends the headers that lock the kernel, or writes its configuration.',
  operands: '[URL | FOLDER]',
  options: {
    for: { value: 'HOST', help: `Write the configuration of ${Object.keys(HOSTS).join(', ')}.` },
  },
  examples: [
    'sallyport doctor https://example.com/agent/',
    'sallyport doctor --for netlify dist > dist/_headers',
    'sallyport doctor --for nginx',
  ],
  run: (call) => (typeof call.options['for'] === 'string' ? configure(call, call.options['for']) : look(call)),
};

async function look({ operands, json, terminal }: CommandCall): Promise<number> {
  const [address = ''] = operands;
  if (!/^https?:\/\//.test(address) || !URL.canParse(address))
    throw new UsageError('doctor takes the URL of a page, as in https://example.com/');
  const findings = await examine(address).catch((error: unknown) => {
    throw new UsageError(unreachable(address, error));
  });
  const ok = findings.every((finding) => finding.ok);
  if (json) terminal.printJson({ ok, findings });
  else {
    const paint = painter(terminal);
    for (const finding of findings) terminal.print(line(finding, paint));
    if (!ok) terminal.print(paint('soft', 'What to send: sallyport doctor --for HOST writes it.'));
  }
  return ok ? EXIT.ok : EXIT.tampered;
}

/** Text for a request that failed. Node's own message is "fetch failed"; the reason is in the cause. */
function unreachable(address: string, error: unknown): string {
  const { name, message, cause } = error as Error & { readonly cause?: { readonly code?: string; message?: string } };
  if (name === 'TimeoutError') return `${address} cannot be reached (no answer in time)`;
  return cause === undefined ? message : `${address} cannot be reached (${cause.code ?? cause.message ?? 'unknown'})`;
}

function line({ ok, file, what }: HostFinding, paint: ReturnType<typeof painter>): string {
  return `${ok ? paint('good', '✓') : paint('bad', '✕')} ${paint('soft', file)} ${what}`;
}

async function configure({ operands, json, terminal }: CommandCall, name: string): Promise<number> {
  const host = Object.hasOwn(HOSTS, name) ? HOSTS[name] : undefined;
  if (host === undefined) throw new UsageError(`--for takes one of ${Object.keys(HOSTS).join(', ')}`);
  const text = host.write(await filesIn(operands[0]));
  if (json) terminal.printJson({ host: name, file: host.file, text });
  else terminal.print(text.trimEnd());
  return EXIT.ok;
}

async function filesIn(folder: string | undefined): Promise<readonly string[]> {
  if (folder === undefined) {
    const workers = ['auditor', 'kernel', 'sandbox'].map((name) => `/worker-${name}.js`);
    return ['/index.html', '/service-worker.js', ...workers];
  }
  const found = await readdir(folder, { recursive: true }).catch(() => {
    throw new UsageError(`${folder} cannot be read`);
  });
  return found.map((file) => `/${file.replaceAll('\\', '/')}`).sort();
}

/** Patterns for hosts whose rules match patterns: each file matches exactly a single role. */
const PATTERNS: readonly { readonly role: Role; readonly pattern: string }[] = [
  { role: 'service-worker', pattern: '(^|/)service-worker\\.js$' },
  { role: 'endpoint-worker', pattern: '(^|/)worker-endpoint[^/]*\\.js$' },
  { role: 'gguf-worker', pattern: '(^|/)worker-model-gguf(?:[-.][^/]*)?\\.js$' },
  { role: 'model-worker', pattern: '(^|/)worker-model(?!-gguf[-.])[^/]*\\.js$' },
  { role: 'worker', pattern: '(^|/)worker-(?!endpoint|model)[^/]+\\.js$' },
];

const entries = (role: Role) => Object.entries(headersFor(role));

/** Names every file a single time: two rules for a file would send two policies, and the browser would apply both. */
function byPath(files: readonly string[]): string {
  // A name with a line break would add rules of its own.
  const plain = files.filter((path) => !/[\s\p{Cc}]/u.test(path));
  const named = plain.filter((path) => roleOf({ path }) !== 'page' || path.endsWith('.html'));
  const paths = named.flatMap((path) =>
    path.endsWith('/index.html') ? [path, path.replace(/index\.html$/, '')] : [path],
  );
  const rules = paths.map((path) => {
    const lines = entries(roleOf({ path })).map(([name, value]) => `  ${name}: ${value}`);
    return [path, ...lines].join('\n');
  });
  return `${rules.join('\n')}\n`;
}

function vercel(files: readonly string[]): string {
  const named = files.filter((path) => roleOf({ path }) !== 'page');
  const rule = (source: string, role: Role) => ({
    source,
    headers: entries(role).map(([key, value]) => ({ key, value })),
  });
  const page = rule('/((?!.*(?:worker-[^/]+|service-worker)\\.js$).*)', 'page');
  return `${JSON.stringify({ headers: [page, ...named.map((path) => rule(path, roleOf({ path })))] }, null, 2)}\n`;
}

function nginx(): string {
  const block = (place: string, role: Role) =>
    [
      `location ${place} {`,
      ...entries(role).map(([name, value]) => `  add_header ${name} "${value}" always;`),
      '}',
    ].join('\n');
  const blocks = PATTERNS.map(({ role, pattern }) => block(`~ "${pattern.replace('(^|/)', '/')}"`, role));
  return `# inside server { … }\n${[...blocks, block('/', 'page')].join('\n')}\n`;
}

function apache(): string {
  const set = (role: Role) => entries(role).map(([name, value]) => `  Header always set ${name} "${value}"`);
  const files = PATTERNS.map(({ role, pattern }) =>
    [`<FilesMatch "${pattern.replace('(^|/)', '^')}">`, ...set(role), '</FilesMatch>'].join('\n'),
  );
  // Apache merges sections for files in order: the later section wins.
  const page = ['<FilesMatch ".">', ...set('page'), '</FilesMatch>'].join('\n');
  return `# needs mod_headers\n${[page, ...files.reverse()].join('\n')}\n`;
}

function caddy(): string {
  const wasm = PATTERNS.map(({ role, pattern }) => {
    // Go's expressions have no lookahead; the narrower rules come first, and handle blocks exclude each other.
    const plain = pattern.replace('(^|/)', '/').replace(/\(\?!.*?\)/, '');
    const lines = entries(role).map(([name, value]) => `    header ${name} "${value}"`);
    return [`  @${role} path_regexp ${plain}`, `  handle @${role} {`, ...lines, '    file_server', '  }'].join('\n');
  });
  const page = [
    '  handle {',
    ...entries('page').map(([name, value]) => `    header ${name} "${value}"`),
    '    file_server',
    '  }',
  ];
  return `example.com {\n  root * /srv/site\n${[...wasm, page.join('\n')].join('\n')}\n}\n`;
}

/**
 * Policy of a page of Next.js. Next writes scripts and styles into its pages, so their sources need a nonce, which only
 * the program can make; the rest of the lock's policy for pages holds.
 */
const NEXT_PAGE = ['connect-src', 'worker-src', 'base-uri', 'frame-ancestors'];

function next(): string {
  const rule = (source: string, role: Role) => ({
    source,
    headers: entries(role).map(([key, value]) => ({ key, value: role === 'page' ? partOf(value, NEXT_PAGE) : value })),
  });
  const rules = PATTERNS.map(({ role, pattern }) => {
    return rule(`/(${pattern.replace('(^|/)', '(?:.*/)?').replace(/\$$/, '')})`, role);
  });
  const page = rule('/((?!(?:.*/)?(?:worker-[^/]+|service-worker)\\.js$).*)', 'page');
  const list = JSON.stringify([...rules, page], null, 2);
  return `// next.config.mjs. The rules match the workers by name, in /_next/static/media/ and in a folder of public/.\nconst headers = ${list};\n\nexport default { headers: async () => headers };\n`;
}

/**
 * The headers of a path as a function in JavaScript, for servers that answer files before any hook of theirs. A framework
 * writes scripts into its pages, so a page gets the part of its policy that Next's pages get.
 */
function headersScript(): string {
  const sent = (role: Role) =>
    Object.fromEntries(
      entries(role).map(([name, value]) => [name, role === 'page' ? partOf(value, NEXT_PAGE) : value]),
    );
  const rules = PATTERNS.map(
    ({ role, pattern }) => `  [/${pattern.replaceAll('/', '\\/')}/, ${JSON.stringify(sent(role))}],`,
  );
  return [
    '// Each file gets exactly one policy: the workers by name, and every other path that of a page.',
    `const rules = [\n${rules.join('\n')}\n];`,
    `const page = ${JSON.stringify(sent('page'))};`,
    "export const headersOf = (url) => rules.find(([name]) => name.test(url.split('?')[0]))?.[1] ?? page;",
    '',
  ].join('\n');
}

function express(): string {
  return `${headersScript()}
// app.use(lock) in front of express.static and of every route
export const lock = (request, response, next) => {
  for (const [name, value] of Object.entries(headersOf(request.url))) response.setHeader(name, value);
  next();
};
`;
}

function hono(): string {
  return `${headersScript()}
// app.use(lock) in front of serveStatic and of every route
export const lock = async (context, next) => {
  await next();
  for (const [name, value] of Object.entries(headersOf(context.req.path))) context.res.headers.set(name, value);
};
`;
}

/** Both frameworks' Node adapters answer files before their hooks, and give a handler to a server of your own. */
function sveltekit(): string {
  return ownServer('// node server.mjs, with @sveltejs/adapter-node, instead of node build', './build/handler.js');
}

function astro(): string {
  const told = "// node server.mjs, with @astrojs/node in the mode 'middleware' (its server of files: serve-static)";
  const files = "import files from 'serve-static';\n";
  const answer = "files('./dist/client')(request, response, () => handler(request, response))";
  return ownServer(told, './dist/server/entry.mjs', files, answer);
}

function ownServer(told: string, entry: string, more = '', answer = 'handler(request, response)'): string {
  return `${told}
import { createServer } from 'node:http';
${more}import { handler } from '${entry}';

${headersScript()}
createServer((request, response) => {
  for (const [name, value] of Object.entries(headersOf(request.url))) response.setHeader(name, value);
  ${answer};
}).listen(process.env.PORT ?? 3000);
`;
}

function nuxt(): string {
  return `// server/plugins/sallyport.js: the hook runs before Nitro serves a file
${headersScript()}
export default defineNitroPlugin((nitro) => {
  nitro.hooks.hook('request', ({ node, path }) => {
    for (const [name, value] of Object.entries(headersOf(path))) node.res.setHeader(name, value);
  });
});
`;
}

/** A policy with these directives alone. A value that is no policy of them stays as it is. */
function partOf(value: string, directives: readonly string[]): string {
  const parts = value.split('; ').filter((part) => directives.includes(part.split(' ')[0] ?? ''));
  return parts.length === 0 ? value : parts.join('; ');
}

/** Configuration for hosts without custom headers: the service worker adds them, from the first visit on. */
function serviceWorker(): string {
  return 'This host sends no headers of your own. Serve service-worker.js beside the page, over https: it adds the headers of workers before the kernel is started. The policy of the page itself is in its <meta> element.\n';
}

/** Result of a single check of a host. */
export interface HostFinding {
  readonly file: string;
  readonly what: string;
  readonly ok: boolean;
}

type Get = (url: string) => Promise<Response>;

/** Bytes of an answer that are read and searched. No search backtracks over more than a few hundred bytes. */
const BYTES_MAX = 2 << 20;

/**
 * Examines a page as a browser would load it: its own headers, and those of the workers that its scripts name. The
 * answer is a stranger's text: it is searched, never run. Rejects when the page cannot be fetched.
 */
export async function examine(address: string, get: Get = askWithin(20_000)): Promise<readonly HostFinding[]> {
  const page = await get(address);
  if (!page.ok) throw new Error(`${address} answered ${page.status}`);
  if (roleOf({ path: new URL(address).pathname }) !== 'page') return [policyOf(address, page)];
  const workers = await workersOf(page.url === '' ? address : page.url, await textWithin(page, BYTES_MAX), get);
  const answers = await Promise.all(workers.map(async (url) => ({ url, answer: await get(url) })));
  const found = answers.filter(({ answer }) => isScript(answer));
  const kernel: HostFinding = {
    file: address,
    what: found.length > 0 ? 'names its workers' : 'names no worker: its scripts were not understood',
    ok: found.length > 0,
  };
  const kept = [{ url: address, answer: page }, ...found.filter(({ url }) => UNHASHED.test(url))];
  return [
    transport(address),
    framed(address, page),
    kernel,
    ...found.map(({ url, answer }) => policyOf(url, answer)),
    ...kept.map(({ url, answer }) => asked(url, answer)),
  ];
}

/** True for an answer that is not a page: many hosts answer a missing file with a page. */
function isScript(answer: Response): boolean {
  return answer.ok && !/html/i.test(answer.headers.get('content-type') ?? '');
}

/** Fetches with a deadline: a host may never answer, or send without end. */
export function askWithin(ms: number): Get {
  return (url) => fetch(url, { signal: AbortSignal.timeout(ms) });
}

function transport(address: string): HostFinding {
  const { protocol, hostname } = new URL(address);
  const local = hostname === 'localhost' || hostname === '127.0.0.1' || hostname === '[::1]';
  return { file: address, what: 'comes over https, or from this machine', ok: protocol === 'https:' || local };
}

/**
 * Finding about embedding. The page may hold the rest of its policy itself, but only a header can say which pages may
 * embed it.
 */
function framed(address: string, page: Response): HostFinding {
  const policy = directives(page.headers.get('content-security-policy'));
  return { file: address, what: 'says who may embed it (frame-ancestors)', ok: policy.has('frame-ancestors') };
}

/** Files of the package, whose names are the same in every build. */
const UNHASHED = /\/(?:worker-(?:kernel|sandbox|auditor|endpoint|small)|index|element)\.js$/;

/** Seconds for which a file without a hash in its name may be used without asking. */
const KEPT_S_MAX = 3600;

/** Finding about deploys: a page that is kept for long asks for files that a later build has no more. */
function asked(url: string, answer: Response): HostFinding {
  const control = answer.headers.get('cache-control') ?? '';
  const seconds = Number(/(?:^|[\s,])max-age=(\d+)/i.exec(control)?.[1] ?? 0);
  const ok = seconds <= KEPT_S_MAX && !/\bimmutable\b/i.test(control);
  const what = ok ? 'is asked for anew within the hour' : `may be used for long after a deploy (${control})`;
  return { file: url, what, ok };
}

function policyOf(url: string, answer: Response): HostFinding {
  const role = roleOf({ path: new URL(url).pathname });
  const missing = looser(role, answer.headers.get('content-security-policy'));
  const what = missing.length === 0 ? `has the policy of ${NAMES[role] ?? role}` : `lacks ${missing.join('; ')}`;
  return { file: url, what, ok: missing.length === 0 };
}

/** Names of the roles that a built page's files have. */
const NAMES: { readonly [R in Role]?: string } = {
  page: 'a page',
  worker: 'a worker',
  'endpoint-worker': 'the worker for a server elsewhere',
  'model-worker': 'the worker of a model on this device',
  'gguf-worker': 'the worker of a model on this device that gets its bytes from the page',
};

/** The directives of the lock that this policy does not repeat literally. */
function looser(role: Role, header: string | null): string[] {
  const found = directives(header);
  const wanted = directives(headersFor(role)['Content-Security-Policy'] ?? '');
  return [...wanted].flatMap(([name, sources]) => (found.get(name) === sources ? [] : [`${name} ${sources}`]));
}

function directives(header: string | null): ReadonlyMap<string, string> {
  const parts = (header ?? '').split(';').map((part) => part.trim().split(/\s+/));
  return new Map(parts.filter(([name]) => name !== '').map(([name = '', ...sources]) => [name, sources.join(' ')]));
}

/** Addresses of scripts in HTML or in an import map; a minifier may leave out the quotes. */
const SCRIPTS = /(?:\bsrc=|["'`])["']?([\w./:@%-]{1,300}\.m?js)\b/g;
const IMPORTS = /(?:import|from)\s*\(?\s*["'`]([\w./@%-]{1,300}\.m?js)["'`]/g;
/** Chunks that a script of Next.js loads later, from the folder of its build. */
const CHUNKS = /["'](static\/chunks\/[\w./-]{1,300}\.js)["']/g;
const WORKERS = /[\w./@%-]{0,200}\bworker-[\w.-]{1,100}\.js\b/g;
/** The folder with the package's own file names: the element's attribute, and the option of `openRuntime`. */
const FOLDERS = /\bassets["']?\s{0,9}[=:]\s{0,9}["'`]?([\w./@%-]{0,200}\/)/g;
const PACKED = ['worker-kernel.js', 'worker-sandbox.js', 'worker-auditor.js'];

/** Import steps from the page to the script that names the workers; a route of SvelteKit takes five. */
const DEPTH = 5;
const SCRIPTS_MAX = 40;

async function workersOf(base: string, html: string, get: Get): Promise<readonly string[]> {
  const named = workersIn(html, base, base);
  const seen = new Set<string>();
  let scripts = addressesIn(html, SCRIPTS, base);
  for (let depth = 0; depth < DEPTH; depth++) {
    // A script may name any address, but the command asks this host only.
    const fresh = scripts.filter((url) => isOf(base)(url) && !seen.has(url)).slice(0, SCRIPTS_MAX - seen.size);
    for (const url of fresh) seen.add(url);
    const texts = await Promise.all(fresh.map(async (url) => ({ url, text: await scriptAt(url, get) })));
    named.push(...texts.flatMap(({ url, text }) => workersIn(text, url, base)));
    scripts = texts.flatMap(({ url, text }) => [
      ...addressesIn(text, IMPORTS, url),
      ...addressesIn(text, CHUNKS, url.replace(/\/static\/chunks\/.*$/, '/')),
    ]);
  }
  return [...new Set(named)].filter(isOf(base)).slice(0, 20);
}

async function scriptAt(url: string, get: Get): Promise<string> {
  const answer = await get(url);
  return answer.ok ? textWithin(answer, BYTES_MAX) : '';
}

/** Addresses of workers in a text at `place`; the folder option is relative to the page. */
function workersIn(text: string, place: string, page: string): string[] {
  const folders = addressesIn(text, FOLDERS, page).slice(0, 5);
  const packed = folders.flatMap((folder) => PACKED.map((name) => new URL(name, folder).href));
  // Vite's scripts lie among its `assets`, and name their neighbours with the folder.
  const named = addressesIn(text, WORKERS, place).map((url) => url.replace('/assets/assets/', '/assets/'));
  return [...named, ...packed];
}

function addressesIn(text: string, pattern: RegExp, base: string): string[] {
  const names = Array.from(text.matchAll(pattern), ([whole, name = whole]) => name);
  return [...new Set(names.flatMap((name) => (URL.canParse(name, base) ? [new URL(name, base).href] : [])))];
}

function isOf(page: string): (url: string) => boolean {
  const { origin } = new URL(page);
  return (url) => new URL(url).origin === origin;
}
