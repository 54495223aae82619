import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { build, type Plugin } from 'vite';
import { buildId } from '../.scripts/vite/build-id.ts';
import { headersFor, roleOf } from '../workers/lock/headers.ts';
import { EXITS_WORKER } from './exits.ts';
import { listenAtNewPort } from './new-port.ts';

/** A site with the package, a page, a worker with a model, and the engine's file, under the headers of their roles. */
export interface ModelSite {
  readonly url: string;
  /** Paths of the requests, in their order. */
  readonly requests: string[];
  /** Serves the worker without its header. */
  unlocked: boolean;
  /** Isolates the page from other origins, so that its engine may have threads. */
  isolated: boolean;
  close(): Promise<void>;
}

const ENGINE = 'node_modules/@wllama/wllama/esm';

/** Takes the entries of the package from the site: a page has one copy of them, and one Trusted Types policy. */
const PACKAGE: Plugin = {
  name: 'package',
  enforce: 'pre',
  resolveId(id) {
    const [, entry] = /^\.\.\/\.\.\/web\/(index|models)\.ts$/.exec(id) ?? [];
    return entry === undefined ? null : { id: `/sallyport/${entry}.js`, external: 'absolute' };
  },
};

/** A module of the program as the single file that a bundler makes of it. */
async function bundleOf(entry: string, plugins: Plugin[] = []): Promise<string> {
  const result = await build({
    configFile: false,
    plugins,
    logLevel: 'error',
    publicDir: false,
    build: { write: false, target: 'es2024', lib: { entry, formats: ['es'] } },
  });
  const [output] = Array.isArray(result) ? result : [result];
  if (output === undefined || !('output' in output)) throw new Error('nothing was built');
  if (output.output.length !== 1) throw new Error(`${entry} is more than a single file`);
  return output.output[0].code;
}

const HEADERS_OF_FILES: { readonly [extension: string]: string } = {
  html: 'text/html',
  js: 'text/javascript',
  wasm: 'application/wasm',
  gguf: 'application/octet-stream',
};

const ISOLATED = { 'Cross-Origin-Opener-Policy': 'same-origin', 'Cross-Origin-Embedder-Policy': 'require-corp' };

/** A file of the built package. */
function packaged(path: string): Buffer | undefined {
  const [, name] = /^\/sallyport\/([\w.-]+)$/.exec(path) ?? [];
  return name !== undefined && existsSync(`dist/${name}`) ? readFileSync(`dist/${name}`) : undefined;
}

export async function openModelSite(): Promise<ModelSite> {
  // the page takes the package, so the worker is of its build
  const worker = await bundleOf('e2e/device/worker-model.ts', [buildId('.')]);
  const files = new Map<string, string | Buffer>([
    ['/index.html', '<!doctype html><title>A model</title><script type="module" src="/page.js"></script>'],
    ['/page.js', await bundleOf('e2e/device/page.ts', [PACKAGE])],
    ['/worker-model-gguf.js', worker],
    ['/worker-model-exits.js', `${worker}\n${EXITS_WORKER}`],
    ['/wllama.wasm', readFileSync(`${ENGINE}/wasm/wllama.wasm`)],
    ['/tiny.gguf', readFileSync('test/fixtures/tiny-model/tiny-q8_0.gguf')],
  ]);
  const requests: string[] = [];
  const site = { unlocked: false, isolated: false };
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://site');
    const path = pathname === '/' ? '/index.html' : pathname;
    const file = files.get(path) ?? packaged(path);
    requests.push(request.url ?? '');
    if (file === undefined) return void response.writeHead(404).end();
    const role = roleOf({ path });
    const headers = site.unlocked && role === 'gguf-worker' ? {} : headersFor(role);
    const type = HEADERS_OF_FILES[path.split('.').at(-1) ?? ''];
    response.writeHead(200, { ...headers, ...(site.isolated && ISOLATED), 'Content-Type': type }).end(file);
  });
  const port = await listenAtNewPort(server);
  return Object.assign(site, {
    url: `http://127.0.0.1:${port}/`,
    requests,
    close: () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  });
}
