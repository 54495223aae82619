/**
 * The lock: the response headers that decide which resources a page and its workers can reach. This is the only table
 * of them; `npm start`, preview, development, the command line's server, the service worker and the host configurations
 * all read it.
 */
export type Role =
  | 'page'
  | 'worker'
  | 'development-worker'
  | 'endpoint-worker'
  | 'development-endpoint-worker'
  | 'model-worker'
  | 'development-model-worker'
  | 'gguf-worker'
  | 'development-gguf-worker'
  | 'service-worker';

type Headers = { readonly [name: string]: string };
type Policy = { readonly [directive: string]: string };

/**
 * A worker that holds proposals, grants and receipts, or runs foreign code, asks no server. Resources that no header
 * stops, for example storage of the origin, are removed from its global (`exits.ts`).
 */
const LOCKED = {
  'default-src': "'none'",
  // Not 'self': an `import('/x?secret')` would reach the server. So each worker is a single finished file.
  'script-src': "'wasm-unsafe-eval'",
  // Not 'self': a `new Worker('/x?secret')` would reach the server. Hence the page creates every worker.
  'worker-src': "'none'",
  'connect-src': "'none'",
};

/**
 * The only exit to other servers. A page's policy is fixed when it loads, before the person has named a model's server,
 * so `connect-src` of the page would have to allow every server. Instead the page keeps `'self'`, and a small worker
 * may ask servers. It exists only while the program has opened an endpoint or a door, asks a single server in its life
 * (a door also the origins of `alsoAsk`), and holds no proposal, grant or receipt except the messages it has to send.
 */
const ENDPOINT = { 'default-src': "'none'", 'worker-src': "'none'", 'connect-src': 'http: https:' };

/**
 * A worker with a model on this device: the program's own code with an engine in WASM. It reaches its own origin, for
 * the files of the engine and the model, and starts workers from its own memory alone, for the threads of the engine.
 */
const MODEL = {
  'default-src': "'none'",
  'script-src': "'self' 'wasm-unsafe-eval'",
  'worker-src': 'blob:',
  'connect-src': "'self' blob:",
};

/**
 * A worker with a GGUF model, whose page hands in the engine and the file as bytes: it reaches not even its own origin.
 * `blob:` is the worker's own memory, from which the engine reads its WASM and starts its threads.
 */
const GGUF = { ...LOCKED, 'worker-src': 'blob:', 'connect-src': 'blob:' };

const POLICIES: { readonly [R in Role]: Policy } = {
  page: {
    'default-src': "'none'",
    'script-src': "'self'",
    'style-src': "'self'",
    'img-src': "'self' data:",
    'font-src': "'self'",
    'connect-src': "'self'",
    'worker-src': "'self'",
    'manifest-src': "'self'",
    'base-uri': "'none'",
    'form-action': "'none'",
    // A hostile page must not frame the page and lie over its approval button.
    'frame-ancestors': "'none'",
    'require-trusted-types-for': "'script'",
    'trusted-types': 'sallyport lit-html',
  },
  worker: LOCKED,
  // Modules are served separately here, so they must be loadable; Firefox asks worker-src about a worker's static
  // imports. The page shows `isolation: development`.
  'development-worker': { ...LOCKED, 'script-src': "'self' 'wasm-unsafe-eval'", 'worker-src': "'self'" },
  'endpoint-worker': ENDPOINT,
  'development-endpoint-worker': { ...ENDPOINT, 'script-src': "'self'", 'worker-src': "'self'" },
  'model-worker': MODEL,
  'development-model-worker': { ...MODEL, 'worker-src': "'self' blob:" },
  'gguf-worker': GGUF,
  'development-gguf-worker': { ...GGUF, 'script-src': "'self' 'wasm-unsafe-eval'", 'worker-src': "'self' blob:" },
  'service-worker': { 'default-src': "'none'", 'script-src': "'self'", 'connect-src': "'self'" },
};

/** Headers of a response in this role. */
export function headersFor(role: Role): Headers {
  return {
    'Content-Security-Policy': Object.entries(POLICIES[role])
      .map(([directive, sources]) => `${directive} ${sources}`)
      .join('; '),
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'no-referrer',
  };
}

/** Built workers are called `worker-….js`, so that hosts which see only paths can recognize them. */
const WORKER_FILE = /(^|\/)worker-[^/]+\.js$/;
const SERVICE_WORKER_FILE = /(^|\/)service-worker\.js$/;

const ENDPOINT_FILE = /(^|\/)(worker-endpoint[^/]*\.js|workers\/bridges\/endpoint\/worker\.ts)$/;

/** A program's own worker with a model: `worker-model.js`, with a bundler's hash, or as the source of a program. */
const MODEL_FILE = /(^|\/)worker-model[^/]*\.[jt]s$/;

/** A worker that gets engine and model as bytes: `worker-model-gguf.js`, with a bundler's hash, or as a source. */
const GGUF_FILE = /(^|\/)(worker-model-gguf(?:[-.][^/]*)?\.[jt]s|workers\/bridges\/model-gguf\/worker\.ts)$/;

/**
 * The role of a response, from the facts that a server knows about its request. A browser names the destination; other
 * clients and static hosts have only a file name. Modules that a worker imports have its destination too: the header
 * has no effect on them.
 */
export function roleOf(request: {
  readonly path: string;
  readonly destination?: string | undefined;
  readonly development?: boolean;
}): Role {
  const [path = '', query = ''] = request.path.split('?', 2);
  if (request.destination === 'serviceworker' || SERVICE_WORKER_FILE.test(path)) return 'service-worker';
  const worker = request.destination === 'worker' || WORKER_FILE.test(path) || /(^|&)worker_file\b/.test(query);
  if (!worker) return 'page';
  const role = workerRole(path);
  return request.development === true ? `development-${role}` : role;
}

function workerRole(path: string): 'endpoint-worker' | 'gguf-worker' | 'model-worker' | 'worker' {
  if (ENDPOINT_FILE.test(path)) return 'endpoint-worker';
  if (GGUF_FILE.test(path)) return 'gguf-worker';
  return MODEL_FILE.test(path) ? 'model-worker' : 'worker';
}
