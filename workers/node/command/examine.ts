import { textWithin } from '../../bridges/models/body.ts';
import { headersFor, type Role, roleOf } from '../../lock/headers.ts';

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
  return [transport(address), framed(address, page), kernel, ...found.map(({ url, answer }) => policyOf(url, answer))];
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

/** Import steps from the page to the script that names the workers; the element's script takes three. */
const DEPTH = 3;
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
