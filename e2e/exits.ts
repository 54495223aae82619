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
  webtransport: "(url) => Promise.race([new WebTransport(url.replace('http:', 'https:')).ready, late(1000)])",
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

/** A worker that is told `{ origin, tag, name }`, tries that one exit, and answers with what came of it. A block, so it can follow a module. */
export const EXITS_WORKER: string = `{
const opens = (target) => new Promise((yes, no) => { target.onopen = target.onmessage = yes; target.onerror = no; });
const blobOf = (source) => URL.createObjectURL(new Blob([source], { type: 'text/javascript' }));
const fetching = (url) => 'fetch(' + JSON.stringify(url) + ').finally(() => postMessage(1))';
const late = (ms) => new Promise((_, no) => setTimeout(no, ms, 'no connection'));
const held = [];
const speaks = (worker) => new Promise((yes, no) => { held.push(worker); worker.onmessage = yes; worker.onerror = no; });
const exits = { ${Object.entries(EXITS)
  .map(([name, exit]) => `${JSON.stringify(name)}: ${exit}`)
  .join(',\n')} };

onmessage = async ({ data: { origin, tag, name } }) => {
  try {
    await exits[name](origin + '/leak?' + tag + '&' + name);
    postMessage({ outcome: 'open' });
  } catch (error) {
    postMessage({ outcome: 'closed: ' + (error && error.message || error && error.type || error) });
  }
};
}`;
