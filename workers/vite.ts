/**
 * `sallyport/vite`: the lock for whoever builds with Vite. Where the built page is served, its host sends the headers:
 * `sallyport doctor --for HOST` writes them.
 */
import { headersFor, roleOf } from './lock/headers.ts';

interface Sent {
  setHeader(name: string, value: string): unknown;
}
type Middleware = (request: { readonly url?: string | undefined }, response: Sent, next: () => void) => void;

/** As much of a server of Vite as is used. */
interface Server {
  readonly middlewares: { use(middleware: Middleware): unknown };
}

export interface LockPlugin {
  readonly name: string;
  readonly config: () => { readonly optimizeDeps: { readonly exclude: string[] } };
  readonly configureServer: (server: Server) => void;
  readonly configurePreviewServer: (server: Server) => void;
}

/** A plugin by which the development and the preview server send the lock with our workers, and nothing with other files. */
export function lock(): LockPlugin {
  const use = ({ middlewares }: Server): void => void middlewares.use(send);
  // Older versions of Vite move a dependency's files away from its workers, unless they are told not to.
  const config = () => ({ optimizeDeps: { exclude: ['sallyport'] } });
  return { name: 'sallyport', config, configureServer: use, configurePreviewServer: use };
}

/** By name, in the package and with a bundler's hash: a page may have other workers, which are not ours to lock. */
const OURS = /\/worker-(?:auditor|endpoint|kernel|sandbox)(?:-[\w-]+)?\.js$/;

const send: Middleware = ({ url = '/' }, response, next) => {
  const [path = ''] = url.split('?');
  const policy = OURS.test(path) ? headersFor(roleOf({ path })) : {};
  for (const [name, value] of Object.entries(policy)) response.setHeader(name, value);
  next();
};
