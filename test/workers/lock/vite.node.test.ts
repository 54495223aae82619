import { expect, test } from 'vitest';
import { headersFor, type Role } from '../../../workers/lock/headers.ts';
import { lock } from '../../../workers/vite.ts';

type Middleware = Parameters<Parameters<ReturnType<typeof lock>['configureServer']>[0]['middlewares']['use']>[0];

/** The policy that the plugin sends with the response for this address. */
function policyOf(url: string): unknown {
  const uses: Middleware[] = [];
  lock().configureServer({ middlewares: { use: (middleware) => uses.push(middleware) } });
  const sent = new Map<string, unknown>();
  uses[0]?.({ url }, { setHeader: (name, value) => sent.set(name, value) }, () => undefined);
  return sent.get('Content-Security-Policy');
}

test.each<[string, Role]>([
  ['/assets/worker-kernel-Ab_c-123.js', 'worker'],
  ['/_app/immutable/assets/worker-kernel.PAJGgOQ4.js', 'worker'],
  ['/_astro/worker-model-gguf.Ab_c-1.js', 'gguf-worker'],
  ['/node_modules/sallyport/dist/worker-endpoint.js', 'endpoint-worker'],
  ['/assets/worker-model-Ab_c-123.js', 'model-worker'],
  ['/src/worker-model.ts?worker_file&type=module', 'development-model-worker'],
  ['/src/worker-model.js?type=module&worker_file', 'development-model-worker'],
  ['/assets/worker-model-gguf-Ab_c-123.js', 'gguf-worker'],
  ['/src/worker-model-gguf.ts?worker_file&type=module', 'development-gguf-worker'],
])("Vite's server sends %s with the policy of the role %s", (url, role) => {
  expect(policyOf(url)).toBe(headersFor(role)['Content-Security-Policy']);
});

test.each(['/', '/src/worker-model.ts', '/worker-own.js', '/src/main.ts?worker_file'])(
  "Vite's server leaves the headers of %s alone",
  (url) => {
    expect(policyOf(url)).toBeUndefined();
  },
);
