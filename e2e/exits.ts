/** Ways out of a worker that a browser offers, as JavaScript: each is a function of the URL it should reach. */
const EXITS: { readonly [name: string]: string } = {
  fetch: '(url) => fetch(url)',
  'fetch-keepalive': "(url) => fetch(url, { method: 'POST', body: 'secret', keepalive: true, mode: 'no-cors' })",
  'fetch-data': "() => fetch('data:,x')",
  xhr: `(url) => new Promise((yes, no) => {
    const request = new XMLHttpRequest();
    request.onload = yes; request.onerror = no;
    request.open('GET', url); request.send();
  })`,
  websocket: "(url) => opens(new WebSocket(url.replace('http', 'ws')))",
  eventsource: '(url) => opens(new EventSource(url))',
  import: '(url) => import(url)',
  'import-data': "() => import('data:text/javascript,export default 1')",
  'import-blob': "() => import(blobOf('export default 1'))",
  worker: "(url) => speaks(new Worker(url, { type: 'module' }))",
  'worker-classic': '(url) => speaks(new Worker(url))',
  'worker-blob': '(url) => speaks(new Worker(blobOf(fetching(url))))',
  'worker-data': "(url) => speaks(new Worker('data:text/javascript,' + encodeURIComponent(fetching(url))))",
  'import-scripts': '(url) => importScripts(url)',
  'cache-add': "async (url) => (await caches.open('exits')).add(url)",
  beacon: "(url) => { if (!navigator.sendBeacon(url, 'secret')) throw new Error('refused'); }",
  font: "(url) => new FontFace('leak', 'url(' + url + ')').load()",
  eval: "() => (0, eval)('1')",
  function: "() => new Function('return 1')()",
};

export const EXIT_NAMES: readonly string[] = Object.keys(EXITS);

/** Ways into storage and tabs of the origin. No policy header stops them: each worker of ours removes them at its start. */
const ORIGIN_EXITS: { readonly [name: string]: string } = {
  'cache-put': "async (url) => (await caches.open('exits')).put(url, new Response('secret'))",
  indexeddb: '() => done(indexedDB.open(String(Math.random())))',
  'private-files': '() => navigator.storage.getDirectory()',
  broadcast: "() => new BroadcastChannel('exits').postMessage('secret')",
  locks: "() => navigator.locks.request('secret', () => 1)",
  'service-worker': '() => navigator.serviceWorker.getRegistrations()',
  'prototype-caches':
    "() => Object.getOwnPropertyDescriptor(WorkerGlobalScope.prototype, 'caches').get.call(self).keys()",
  'prototype-service-worker':
    "() => Object.getOwnPropertyDescriptor(WorkerNavigator.prototype, 'serviceWorker').get.call(navigator).getRegistrations()",
};

export const ORIGIN_EXIT_NAMES: readonly string[] = Object.keys(ORIGIN_EXITS);

/** Ways that speak UDP, which no server of HTTP notices: `webtransport.spec.ts` listens to a socket. */
const UDP_EXITS: { readonly [name: string]: string } = {
  webtransport: "(url) => Promise.race([new WebTransport(url.replace('http:', 'https:')).ready, late(1000)])",
};

export const UDP_EXIT_NAMES: readonly string[] = Object.keys(UDP_EXITS);

/**
 * A worker that receives `{ origin, tag, name }`, tries that single exit, and answers with the outcome. A block, so it
 * can follow a module.
 */
export const EXITS_WORKER: string = `{
const opens = (target) => new Promise((yes, no) => { target.onopen = target.onmessage = yes; target.onerror = no; });
const blobOf = (source) => URL.createObjectURL(new Blob([source], { type: 'text/javascript' }));
const fetching = (url) => 'fetch(' + JSON.stringify(url) + ').finally(() => postMessage(1))';
const done = (request) => new Promise((yes, no) => { request.onsuccess = yes; request.onerror = no; });
const late = (ms) => new Promise((_, no) => setTimeout(no, ms, 'no connection'));
const held = [];
const speaks = (worker) => new Promise((yes, no) => { held.push(worker); worker.onmessage = yes; worker.onerror = no; });
const exits = { ${Object.entries({ ...EXITS, ...ORIGIN_EXITS, ...UDP_EXITS })
  .map(([name, exit]) => `${JSON.stringify(name)}: ${exit}`)
  .join(',\n')} };

/** Every name of this worker's global or its navigator beyond those of the language, from their prototypes too. */
const membersOf = (start) => {
  const names = new Set();
  for (let each = start; each !== null && each !== Object.prototype; each = Object.getPrototypeOf(each))
    for (const name of Object.getOwnPropertyNames(each)) names.add(name);
  return [...names].sort();
};

onmessage = async ({ data: { origin, tag, name } }) => {
  if (name === 'members') return postMessage({ outcome: JSON.stringify([membersOf(self), membersOf(navigator)]) });
  try {
    await exits[name](origin + '/leak?' + tag + '&' + name);
    postMessage({ outcome: 'open' });
  } catch (error) {
    postMessage({ outcome: 'closed: ' + (error && error.message || error && error.type || error) });
  }
};
}`;
