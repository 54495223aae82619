/** Names of the caches of the service worker begin so. */
export const CACHE_PREFIX = 'sallyport-files-';

/**
 * Text of the service worker of a site that leaves: it deletes the files that the former one kept, and removes itself.
 * A browser that finds no `service-worker.js` keeps the former one, which shows the old page for ever.
 */
export const RETIRED_WORKER: string = `addEventListener('install', () => skipWaiting());
addEventListener('activate', (event) => event.waitUntil(caches.keys().then((names) => Promise.all(names.filter((name) => name.startsWith('${CACHE_PREFIX}')).map((name) => caches.delete(name)))).then(() => registration.unregister())));
`;
