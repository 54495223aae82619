import 'vitest/config';
import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { build, type Plugin } from 'vite';

/** Address of a worker of the product on Vite's development server, for example `/workers/kernel/worker.ts`. */
const WORKER = /^\/workers\/(?:[\w-]+\/)+worker\.ts$/;

interface Bundle {
  readonly code: string;
  readonly etag: string;
}

/**
 * Serves each worker of the product to tests as a single file, as the build does. Vite's development server sends a
 * worker module by module, and each test that starts a runtime would load all of its modules again.
 */
export function bundledWorkers(root: string): Plugin {
  const bundles = new Map<string, Promise<Bundle>>();
  const bundleOf = (path: string): Promise<Bundle> => {
    const bundle = bundles.get(path) ?? bundled(`${root}${path}`);
    bundles.set(path, bundle);
    return bundle;
  };
  return {
    name: 'sallyport:bundled-workers',
    configureServer(server) {
      server.watcher.on('all', () => bundles.clear());
      server.middlewares.use((request, response, next) => {
        const { pathname, searchParams } = new URL(request.url ?? '/', 'http://server');
        if (!WORKER.test(pathname) || !searchParams.has('worker_file')) return next();
        void send(bundleOf(pathname), request, response, next);
      });
    },
  };
}

async function send(
  bundle: Promise<Bundle>,
  { headers }: IncomingMessage,
  response: ServerResponse,
  fail: (error: unknown) => void,
): Promise<void> {
  try {
    const { code, etag } = await bundle;
    // A browser that has the file sends its tag, and gets no second copy.
    const isKnown = headers['if-none-match'] === etag;
    response.writeHead(isKnown ? 304 : 200, {
      'Content-Type': 'text/javascript',
      'Cache-Control': 'no-cache',
      ETag: etag,
    });
    response.end(isKnown ? undefined : code);
  } catch (error) {
    fail(error);
  }
}

async function bundled(entry: string): Promise<Bundle> {
  const result = await build({
    configFile: false,
    logLevel: 'warn',
    publicDir: false,
    build: {
      write: false,
      minify: false,
      target: 'es2024',
      modulePreload: { polyfill: false },
      rolldownOptions: { input: entry, output: { format: 'es', codeSplitting: false } },
    },
  });
  const [chunk] = Array.isArray(result) || !('output' in result) ? [] : result.output;
  if (chunk === undefined) throw new Error(`${entry} was not built.`);
  const hash = createHash('sha256').update(chunk.code).digest('hex');
  return { code: chunk.code, etag: `"${hash.slice(0, 16)}"` };
}

/**
 * Lets Vitest keep transformed modules on disk between runs (`experimental.fsModuleCache`), except bundles: the text of
 * `./thread.ts?thread` also depends on the imports of `thread.ts`, which the key of the cache does not cover.
 */
export function cachedModules(): Plugin {
  return {
    name: 'sallyport:cached-modules',
    configureVitest({ experimental_defineCacheKeyGenerator: define }) {
      define(({ id }) => (/\?(script|thread)$/.test(id) ? false : undefined));
    },
  };
}
