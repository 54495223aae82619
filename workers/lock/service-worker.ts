/**
 * The service worker: keeps the files of a single build, so that the page works without the server, and adds the lock's
 * headers where a static host sends none. It caches no other file, and holds no data of a run. Any script of the origin
 * can write into its cache, so each file is compared with its hash before it is served.
 */
import { headersFor, type Role, roleOf } from './headers.ts';
import { mediaType } from './media-types.ts';
import { CACHE_PREFIX } from './retire.ts';
import { WEIGHTS } from './weights.ts';

declare const self: ServiceWorkerGlobalScope;
/**
 * Inserted by the build: the files, relative to the scope ('' is the page itself), each with the SHA-256 of its bytes
 * in base64, and a hash over them all.
 */
declare const SALLYPORT_FILES: { readonly [file: string]: string };
declare const SALLYPORT_VERSION: string;
/** Those of the files that come with their first use: the engine of a model, which most visitors never load. */
declare const SALLYPORT_LATER: readonly string[];
/** Those of the files that the page itself names. */
declare const SALLYPORT_ENTRIES: readonly string[];

const NAME = CACHE_PREFIX + SALLYPORT_VERSION;

self.addEventListener('install', (event) => event.waitUntil(keep()));
self.addEventListener('activate', (event) => event.waitUntil(takeUp()));
self.addEventListener('fetch', (event) => {
  const { method, url } = event.request;
  if (method === 'GET' && new URL(url).origin === self.location.origin) event.respondWith(answer(event.request));
});
self.addEventListener('message', (event) => {
  if (event.data === 'take over') void takeOver(event.source);
  if (event.data === 'claim') event.waitUntil(self.clients.claim());
});

const HASHES: ReadonlyMap<string, string> = new Map(Object.entries(SALLYPORT_FILES));
const LATER: ReadonlySet<string> = new Set(SALLYPORT_LATER);

/**
 * Caches the build when all of it was fetched and is right; fails otherwise, and the build before stays. Examples: a
 * deploy under way, and a host that answers a missing file with a page.
 */
async function keep(): Promise<void> {
  const wasThere = await caches.has(NAME);
  try {
    const now = [...HASHES.keys()].filter((file) => !LATER.has(file));
    const found = await Promise.all(now.map(fetchFile));
    const cache = await caches.open(NAME);
    await Promise.all(found.map(async (each) => each && cache.put(each.address, each.answer)));
    await Promise.all([...LATER].map((file) => carryOver(cache, file)));
  } catch (error) {
    // the active build has this name, too, where another file of it was replaced
    if (!wasThere) await caches.delete(NAME);
    throw error;
  }
}

/** Files whose bytes are the build; a host may rewrite others, for example an icon. */
const EXACT = /\.(?:js|css|wasm|bin)$/;

/** The small model, which is a package of its own; the documentation is in no package. */
const ELSEWHERE = new RegExp(`^${WEIGHTS}$`);

/** A file to cache; undefined for a file that comes from the host each time. Throws for a file of another build. */
async function fetchFile(file: string): Promise<{ readonly address: string; readonly answer: Response } | undefined> {
  const address = addressOf(file);
  const response = await fetch(address, { cache: 'no-cache' });
  const bytes = await response.arrayBuffer();
  if (response.ok && (await isBuilt(file, bytes))) return { address, answer: answerWith(file, bytes) };
  const isAbsent = response.status === 404 && ELSEWHERE.test(file);
  // the playground needs no other page
  const isApart = file.startsWith('docs/') || file.endsWith('.html');
  if (isAbsent || isApart || (response.ok && mayBeRewritten(file, response, bytes))) return undefined;
  throw new Error(`${address} is not there, or of another build`);
}

/** A rewritten page still names the files of its build. */
function mayBeRewritten(file: string, { headers }: Response, bytes: ArrayBuffer): boolean {
  if (file !== '') return !EXACT.test(file) && !/html/i.test(headers.get('Content-Type') ?? '');
  const page = new TextDecoder().decode(bytes);
  return SALLYPORT_ENTRIES.every((entry) => page.includes(entry));
}

function addressOf(file: string): string {
  return new URL(file, self.registration.scope).href;
}

/** An unchanged file that an earlier build has cached is kept. */
async function carryOver(cache: Cache, file: string): Promise<void> {
  const address = addressOf(file);
  const kept = await caches.match(address);
  const bytes = await kept?.arrayBuffer();
  if (kept !== undefined && bytes !== undefined && (await isBuilt(file, bytes)))
    // without room it comes from the host with its first use
    await cache.put(address, answerWith(file, bytes)).catch(() => undefined);
}

async function isBuilt(file: string, bytes: ArrayBuffer): Promise<boolean> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
  return btoa(String.fromCharCode(...digest)) === HASHES.get(file);
}

/**
 * Open pages ask to be claimed. If they were claimed here, every fetch would wait for the claim, which in Firefox never
 * ends if a worker of a page is terminated meanwhile.
 */
async function takeUp(): Promise<void> {
  await stopPreload();
  const old = (await caches.keys()).filter((name) => name.startsWith(CACHE_PREFIX) && name !== NAME);
  await Promise.all(old.map((name) => caches.delete(name)));
}

/** With navigation preload, a header value set by any worker of the origin would go to the server. */
async function stopPreload(): Promise<void> {
  const { navigationPreload } = self.registration as Partial<ServiceWorkerRegistration>;
  await navigationPreload?.setHeaderValue('true').catch(() => undefined);
  await navigationPreload?.disable().catch(() => undefined);
}

/**
 * Activates an update, unless another tab may be in the middle of a run and still needs its files. The asking page is
 * told.
 */
async function takeOver(asker: ExtendableMessageEvent['source']): Promise<void> {
  const pages = await self.clients.matchAll({ type: 'window', includeUncontrolled: true });
  if (pages.length <= 1) await self.skipWaiting();
  else asker?.postMessage('others');
}

async function answer(request: Request): Promise<Response> {
  const role = roleOf({ path: new URL(request.url).pathname, destination: request.destination });
  const kept = await keptAnswer(request);
  if (kept !== undefined) return withHeaders(kept, role);
  const fetched = await fetch(request);
  // Pages of other builds bring their own policy.
  return role !== 'page' && fetched.ok ? withHeaders(fetched, role) : fetched;
}

/** The requested file of the build, if it is cached and unchanged; an altered file is dropped. */
async function keptAnswer({ url }: Request): Promise<Response | undefined> {
  const { origin, pathname } = new URL(url);
  const named = (origin + pathname).replace(/\/index\.html$/, '/');
  const { scope } = self.registration;
  const asked = named.slice(scope.length);
  // as hosts do, `selftest` is answered with `selftest.html`
  const file = named.startsWith(scope) ? [asked, `${asked}.html`].find((each) => HASHES.has(each)) : undefined;
  if (file === undefined) return undefined;
  const address = addressOf(file);
  const cache = await caches.open(NAME);
  const kept = await cache.match(address);
  const bytes = await kept?.arrayBuffer();
  if (kept !== undefined && bytes !== undefined && (await isBuilt(file, bytes)))
    return answerWith(file, file === '' ? withoutPreload(bytes) : bytes);
  await cache.delete(address);
  const fetched = await fetch(address, { cache: 'no-cache' }).catch(() => undefined);
  if (!fetched?.ok) return undefined;
  const found = await fetched.arrayBuffer();
  if (!(await isBuilt(file, found))) return ofHost(fetched, found);
  // a full device has no room for it, and the page needs it all the same
  await cache.put(address, answerWith(file, found)).catch(() => undefined);
  return answerWith(file, found);
}

/** A worker's link to load ahead, in the head of the page. */
const WORKER_LINK = /<link rel="modulepreload"[^>]*\/worker-[^>]*>/g;

/**
 * The page without the links that load its workers ahead of a slow line. This service worker answers at once, and for a
 * link the browser would also compile the script, for the page, which never runs it.
 */
function withoutPreload(page: ArrayBuffer): ArrayBuffer {
  return new TextEncoder().encode(new TextDecoder().decode(page).replace(WORKER_LINK, '')).buffer;
}

/** The bytes of a file of the build, and the type of its name: no hash covers the headers of a cached answer. */
function answerWith(file: string, bytes: ArrayBuffer): Response {
  const name = file.replace(/(^|\/)$/, '$1index.html');
  return new Response(bytes, { headers: { 'Content-Type': mediaType(name) } });
}

/** Other bytes that the host has for a file of the build, with the type that it gives them. */
function ofHost({ headers }: Response, bytes: ArrayBuffer): Response {
  const type = headers.get('Content-Type') ?? 'application/octet-stream';
  return new Response(bytes, { headers: { 'Content-Type': type } });
}

/** A new response without the redirect of the original. */
function withHeaders(response: Response, role: Role): Response {
  const headers = new Headers(response.headers);
  for (const name of ['Content-Encoding', 'Content-Length']) headers.delete(name);
  for (const [name, value] of Object.entries(headersFor(role))) headers.set(name, value);
  return new Response(response.body, { status: response.status, statusText: response.statusText, headers });
}
