/**
 * The service worker: keeps the files of one build, so that everything works with the server gone, and adds the lock's
 * headers where a static host sends none. It caches nothing else, and holds nothing of a run.
 */
import { headersFor, type Role, roleOf } from './lock.ts';

declare const self: ServiceWorkerGlobalScope;
/** Put in by the build: the files, relative to the scope ('' is the page itself), and a hash over them. */
declare const SALLYPORT_FILES: readonly string[];
declare const SALLYPORT_VERSION: string;

const PREFIX = 'sallyport-files-';
const NAME = PREFIX + SALLYPORT_VERSION;

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

async function keep(): Promise<void> {
  const cache = await caches.open(NAME);
  await cache.addAll(
    SALLYPORT_FILES.map((file) => new Request(new URL(file, self.registration.scope), { cache: 'no-cache' })),
  );
}

/**
 * Pages that are open ask to be claimed. Were they claimed here, every fetch would wait for that, and in Firefox it never
 * ends where a worker of a page is terminated meanwhile.
 */
async function takeUp(): Promise<void> {
  const old = (await caches.keys()).filter((name) => name.startsWith(PREFIX) && name !== NAME);
  await Promise.all(old.map((name) => caches.delete(name)));
}

/** An update waits while another tab may be in the middle of a run: its files would be gone. Whoever asks is told. */
async function takeOver(asker: ExtendableMessageEvent['source']): Promise<void> {
  const pages = await self.clients.matchAll({ type: 'window', includeUncontrolled: true });
  if (pages.length <= 1) await self.skipWaiting();
  else asker?.postMessage('others');
}

async function answer(request: Request): Promise<Response> {
  const cache = await caches.open(NAME);
  const kept = await cache.match(request.url.replace(/\/index\.html(?=$|[?#])/, '/'), { ignoreSearch: true });
  const role = roleOf({ path: new URL(request.url).pathname, destination: request.destination });
  if (kept !== undefined) return withHeaders(kept, role);
  const fetched = await fetch(request);
  // Pages that are not of this build bring their own policy.
  return role !== 'page' && fetched.ok ? withHeaders(fetched, role) : fetched;
}

/** A response of our own making, so that a redirect it came by is forgotten too. */
function withHeaders(response: Response, role: Role): Response {
  const headers = new Headers(response.headers);
  for (const name of ['Content-Encoding', 'Content-Length']) headers.delete(name);
  for (const [name, value] of Object.entries(headersFor(role))) headers.set(name, value);
  return new Response(response.body, { status: response.status, statusText: response.statusText, headers });
}
