import { headersFor, type Role, roleOf } from '../lock.ts';
import { textWithin } from '../proposers/body.ts';

/** One thing that was looked at on a host. */
export interface Finding {
  readonly file: string;
  readonly what: string;
  readonly ok: boolean;
}

type Get = (url: string) => Promise<Response>;

/** As far as an answer is read and searched; no search goes back over more than a few hundred of it. */
const BYTES_MAX = 2 << 20;

/**
 * Looks at a page as a browser would load it: its own headers, and those of the workers that its scripts name. A
 * page's answer is a stranger's text: it is searched, never run. Rejects when the page cannot be fetched.
 */
export async function examine(address: string, get: Get = fetch): Promise<readonly Finding[]> {
  const page = await get(address);
  if (!page.ok) throw new Error(`${address} answered ${page.status}`);
  if (roleOf({ path: new URL(address).pathname }) !== 'page') return [policyOf(address, page)];
  const workers = await workersOf(page.url === '' ? address : page.url, await textWithin(page, BYTES_MAX), get);
  const answers = await Promise.all(workers.map(async (url) => ({ url, answer: await get(url) })));
  const found = answers.filter(({ answer }) => answer.ok);
  const kernel: Finding = {
    file: address,
    what: found.length > 0 ? 'names its workers' : 'names no worker: its scripts were not understood',
    ok: found.length > 0,
  };
  return [transport(address), framed(address, page), kernel, ...found.map(({ url, answer }) => policyOf(url, answer))];
}

function transport(address: string): Finding {
  const { protocol, hostname } = new URL(address);
  const local = hostname === 'localhost' || hostname === '127.0.0.1' || hostname === '[::1]';
  return { file: address, what: 'comes over https, or from this machine', ok: protocol === 'https:' || local };
}

/** The rest of the page's policy may be in the page; who may embed it is only ever a header. */
function framed(address: string, page: Response): Finding {
  const policy = directives(page.headers.get('content-security-policy'));
  return { file: address, what: 'says who may embed it (frame-ancestors)', ok: policy.has('frame-ancestors') };
}

function policyOf(url: string, answer: Response): Finding {
  const role = roleOf({ path: new URL(url).pathname });
  const missing = looser(role, answer.headers.get('content-security-policy'));
  const what = missing.length === 0 ? `has the policy of ${NAMES[role] ?? role}` : `lacks ${missing.join('; ')}`;
  return { file: url, what, ok: missing.length === 0 };
}

/** Roles that a built page's files have, in words. */
const NAMES: { readonly [R in Role]?: string } = {
  page: 'a page',
  worker: 'a worker',
  'endpoint-worker': 'the worker for a model elsewhere',
};

/** The directives of the lock that this policy does not have in the same words. */
function looser(role: Role, header: string | null): string[] {
  const found = directives(header);
  const wanted = directives(headersFor(role)['Content-Security-Policy'] ?? '');
  return [...wanted].flatMap(([name, sources]) => (found.get(name) === sources ? [] : [`${name} ${sources}`]));
}

function directives(header: string | null): ReadonlyMap<string, string> {
  const parts = (header ?? '').split(';').map((part) => part.trim().split(/\s+/));
  return new Map(parts.filter(([name]) => name !== '').map(([name = '', ...sources]) => [name, sources.join(' ')]));
}

async function workersOf(base: string, html: string, get: Get): Promise<readonly string[]> {
  const scripts = [...html.matchAll(/<script\b[^>]{0,300}\bsrc="([^"]{1,300}\.js)"/g)].map(
    ([, src = '']) => new URL(src, base),
  );
  const own = scripts.filter(({ origin }) => origin === new URL(base).origin);
  const named = await Promise.all(own.slice(0, 20).map(({ href }) => namedIn(href, get, 1)));
  // A script may name whatever it likes: nobody but this host is asked.
  return [...new Set(named.flat())].filter((url) => new URL(url).origin === new URL(base).origin).slice(0, 20);
}

/** Worker files named in a script, and in the scripts that it names. */
async function namedIn(script: string, get: Get, depth: number): Promise<string[]> {
  const answer = await get(script);
  const text = answer.ok ? await textWithin(answer, BYTES_MAX) : '';
  const at = (name: string) => new URL(name.replace(/^(\.?\/)?assets\//, './'), script).href;
  const workers = [...text.matchAll(/[\w./-]{0,200}\bworker-[\w-]{1,100}\.js\b/g)].map(([name]) => at(name));
  const others = [...text.matchAll(/(?:import|from)\s*\(?\s*["'`](\.\/[\w.-]{1,200}\.js)["'`]/g)].map(([, name = '']) =>
    at(name),
  );
  if (depth === 0) return workers;
  const deeper = await Promise.all([...new Set(others)].slice(0, 20).map((url) => namedIn(url, get, depth - 1)));
  return [...workers, ...deeper.flat()];
}
