/**
 * `sallyport/vite`: sends the lock from Vite's servers. The host of a built page must send the headers itself:
 * `sallyport doctor --for HOST` writes them.
 *
 * @experimental
 */

import { headersFor, roleOf } from './lock/headers.ts';

interface Sent {
  setHeader(name: string, value: string): unknown;
}
type Middleware = (request: { readonly url?: string | undefined }, response: Sent, next: () => void) => void;

/** The part of Vite's server that the plugin uses. */
interface Server {
  readonly middlewares: { use(middleware: Middleware): unknown };
}

export interface LockPlugin {
  readonly name: string;
  readonly config: () => { readonly optimizeDeps: { readonly exclude: string[] } };
  readonly configureServer: (server: Server) => void;
  readonly configurePreviewServer: (server: Server) => void;
}

/**
 * Plugin for Vite: the development and the preview server send the lock with Sallyport's workers, and change no other
 * response.
 *
 * @experimental
 */
export function lock(): LockPlugin {
  const use = ({ middlewares }: Server): void => void middlewares.use(send);
  // Older versions of Vite optimize a dependency and separate it from its workers, unless it is excluded.
  const config = () => ({ optimizeDeps: { exclude: ['sallyport'] } });
  return { name: 'sallyport', config, configureServer: use, configurePreviewServer: use };
}

/**
 * Names of Sallyport's workers, in the package and with a bundler's hash behind a dash or, in SvelteKit, a dot, and of a program's worker with a model. Other
 * workers of a page stay without the lock.
 */
const OURS = /\/worker-(?:auditor|endpoint|kernel|sandbox|model)(?:-[\w-]+)?(?:\.[\w-]+)?\.js$/;
/** The source of a model's worker, which Vite's development server sends in modules. */
const MODEL_SOURCE = /\/worker-model[\w-]*\.[jt]s\?(?:.*&)?worker_file\b/;

const send: Middleware = ({ url = '/' }, response, next) => {
  const [path = ''] = url.split('?');
  const development = MODEL_SOURCE.test(url);
  const policy = development || OURS.test(path) ? headersFor(roleOf({ path: url, development })) : {};
  for (const [name, value] of Object.entries(policy)) response.setHeader(name, value);
  next();
};
