/**
 * `sallyport/vite`: sends the lock from Vite's servers. The host of a built page must send the headers itself:
 * `sallyport doctor --for HOST` writes them.
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
 */
export function lock(): LockPlugin {
  const use = ({ middlewares }: Server): void => void middlewares.use(send);
  // Older versions of Vite optimize a dependency and separate it from its workers, unless it is excluded.
  const config = () => ({ optimizeDeps: { exclude: ['sallyport'] } });
  return { name: 'sallyport', config, configureServer: use, configurePreviewServer: use };
}

/**
 * Names of Sallyport's workers, in the package and with a bundler's hash. Other workers of a page stay without the
 * lock.
 */
const OURS = /\/worker-(?:auditor|endpoint|kernel|sandbox)(?:-[\w-]+)?\.js$/;

const send: Middleware = ({ url = '/' }, response, next) => {
  const [path = ''] = url.split('?');
  const policy = OURS.test(path) ? headersFor(roleOf({ path })) : {};
  for (const [name, value] of Object.entries(policy)) response.setHeader(name, value);
  next();
};
