import { cp, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildServiceWorker } from '../.scripts/vite/offline.ts';
import { headersFor, roleOf } from '../workers/lock/headers.ts';
import { type StaticHost, serveFolders } from './serve.ts';

/** Two builds, and a host on which one of them is deployed. */
export interface Deployment extends StaticHost {
  /** Folder of the build in `dist/`, and of a later build: other names, another build id, the same behaviour. */
  readonly builds: { readonly a: string; readonly b: string };
  /** Deploys the files of a folder, or part of them; `fallback` is answered, as a page, for unknown paths. */
  readonly deploy: (folder: string, how?: { readonly without?: RegExp; readonly fallback?: string }) => void;
  /** Answers the script of the service worker with this text from now on. */
  readonly retire: (worker: string) => Promise<void>;
}

/** Serves the build in `dist/` first, with the headers of the lock. */
export async function openDeployment(path: string = '/'): Promise<Deployment> {
  const place = await mkdtemp(join(tmpdir(), 'sallyport-deploys-'));
  const builds = { a: 'dist', b: join(place, 'b') };
  await makeOther(builds.b);
  let current: { folder: string; without?: RegExp; fallback?: string } = { folder: builds.a };
  let retired: string | undefined;
  const folders = path === '/' ? {} : { '/': 'web/examples/plain' };
  const host = await serveFolders({
    folders,
    headers: (file) => (roleOf({ path: file }) === 'page' && path !== '/' ? {} : headersFor(roleOf({ path: file }))),
    find: (file) => {
      if (file === '/service-worker.js' && retired !== undefined) return retired;
      if (!file.startsWith(path) || current.without?.test(file)) return undefined;
      return join(current.folder, file.slice(path.length).replace(/(^|\/)$/, '$1index.html'));
    },
    instead: () => current.fallback,
  });
  return {
    ...host,
    builds,
    retire: async (worker) => {
      retired = join(place, 'retired.js');
      await writeFile(retired, worker);
    },
    deploy: (folder, how = {}) => void (current = { folder, ...how }),
    close: async () => {
      await host.close();
      await rm(place, { recursive: true });
    },
  };
}

/** The name of a built file, with the hash that a bundler gave it; other names of eight small letters have none. */
const HASHED = /^(.+-)(?=[\w-]*[A-Z\d])([\w-]{8})(\.(?:js|css|wasm|bin))$/;

/** Copies the build, with other hashes in the names, another build id, and a service worker for both. */
async function makeOther(folder: string): Promise<void> {
  await cp('dist', folder, { recursive: true, filter: (file) => !/dist\/(types|docs)\b|\/cli|wllama/.test(file) });
  await cp('dist/docs/pictures', join(folder, 'docs/pictures'), { recursive: true });
  const names = (await readdir(folder, { recursive: true })).map((file) => file.replaceAll('\\', '/'));
  const renamed = new Map<string, string>();
  for (const file of names) {
    const [, before, hash = '', after] = HASHED.exec(file.split('/').at(-1) ?? '') ?? [];
    if (before !== undefined) renamed.set(`${before}${hash}${after}`, `${before}${turned(hash)}${after}`);
  }
  const kernel = await readFile(join(folder, 'worker-kernel.js'), 'utf8');
  // beside it stands only the list of hexadecimal digits
  const ids = Array.from(kernel.matchAll(/[`'"]([\da-f]{16})[`'"]/g), ([, found = '']) => found);
  const id = ids.find((each) => each !== '0123456789abcdef');
  if (id === undefined) throw new Error('dist/worker-kernel.js names no build.');
  for (const file of names.filter((name) => /\.(?:js|html|css|json|webmanifest)$/.test(name))) {
    const text = await readFile(join(folder, file), 'utf8');
    const other = text
      .replace(/[\w.]+(?:-[\w.]+)*-[\w-]{8}\.(?:js|css|wasm|bin)/g, (name) => renamed.get(name) ?? name)
      .replaceAll(id, turned(id));
    if (other !== text) await writeFile(join(folder, file), other);
  }
  for (const file of names) {
    const [, place = '', name = ''] = /^(.*\/)?([^/]+)$/.exec(file) ?? [];
    const other = renamed.get(name);
    if (other !== undefined) await rename(join(folder, file), join(folder, place + other));
  }
  await buildServiceWorker(process.cwd(), folder);
}

function turned(hash: string): string {
  return hash.slice(1) + hash.slice(0, 1);
}
