import wasmUrl from '@jitl/quickjs-wasmfile-release-sync/wasm?url';
import { SallyportError } from '../core/index.ts';
import auditorUrl from '../workers/auditor/worker.ts?worker&url';
import kernelUrl from '../workers/kernel/worker.ts?worker&url';
import { loadPart } from '../workers/load-part.ts';
import type { LoadSchemaScripts } from '../workers/sandbox/page.ts';
import sandboxUrl from '../workers/sandbox/worker.ts?worker&url';

/** Addresses of the files from which a page starts its workers. */
export interface Assets {
  readonly kernel: string;
  readonly sandbox: string;
  readonly auditor: string;
  readonly engine: string;
}

/** `folder` is the option `assets`: absent, the bundler's places. */
export function assetsIn(folder: string | undefined): Assets {
  if (folder === undefined) return { kernel: kernelUrl, sandbox: sandboxUrl, auditor: auditorUrl, engine: wasmUrl };
  const worker = (name: string) => fileIn(folder, `worker-${name}.js`);
  const [kernel, sandbox, auditor] = [worker('kernel'), worker('sandbox'), worker('auditor')];
  return { kernel, sandbox, auditor, engine: fileIn(folder, 'quickjs.wasm') };
}

export function fileIn(folder: string, name: string): string {
  return new URL(name, new URL(folder.replace(/\/?$/, '/'), document.baseURI)).href;
}

/** The engine, which workers behind the lock cannot fetch. */
export interface EngineFile {
  /** Resolves when the server begins to send it; `engine_missing` where it does not. */
  readonly found: Promise<unknown>;
  /** All of its bytes. Fetched again after a failure. `engine_missing`. */
  readonly bytes: () => Promise<ArrayBuffer>;
}

/** Fetches the engine, from the moment `begin` resolves. */
export function fetchEngine(url: string, begin: Promise<unknown> = Promise.resolve()): EngineFile {
  const found = begin.then(() => request(url));
  let loading: Promise<ArrayBuffer> | undefined;
  const load = (answer: Promise<Response>): Promise<ArrayBuffer> => {
    const reading = read(answer, url);
    // Each caller receives the failure; the next caller asks again.
    reading.catch(() => (loading = undefined));
    return reading;
  };
  loading = load(found);
  return { found, bytes: () => (loading ??= load(request(url))) };
}

async function request(url: string): Promise<Response> {
  const response = await fetch(url).catch(() => undefined);
  if (response?.ok === true) return response;
  throw missing(url, response?.status);
}

async function read(found: Promise<Response>, url: string): Promise<ArrayBuffer> {
  const response = await found;
  return response.arrayBuffer().catch(() => Promise.reject(missing(url)));
}

function missing(url: string, status?: number): SallyportError {
  const what = `No engine (in Node: sallyport/node): ${status ?? 'no answer'} for ${url}.`;
  const todo =
    status === undefined
      ? "Go online, and allow connect-src 'self' in the policy of the page."
      : 'Serve quickjs.wasm of the package there, or name its folder by the option assets.';
  return new SallyportError('engine_missing', `${what} ${todo}`, { url });
}

/**
 * ajv and the checking code, as text for realms of their own: loaded with the first schema that is registered at run
 * time.
 */
export const schemaScripts: LoadSchemaScripts = async () => {
  const [{ SCHEMA_COMPILER: compiler }, { SCHEMA_CHECKER: checker }] = await loadPart(() =>
    Promise.all([import('../sandbox/schema/compiler.generated.ts'), import('../sandbox/schema/checker.generated.ts')]),
  );
  return { compiler, checker };
};
