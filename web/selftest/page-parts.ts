import { CACHE_PREFIX } from '../../workers/lock/retire.ts';
import { openRuntime } from '../index.ts';
import { scriptPolicy } from '../worker.ts';
import {
  type Act,
  add,
  COMMON,
  checkShared,
  DATABASE,
  type DeviceTest,
  NotTried,
  OPTIONS,
  openShared,
  type TestPlace,
  takeOver,
} from './parts.ts';
import { type BeforeReload, type PartId, parseBefore, type SelftestResult } from './result.ts';

/** The ledger of the test in this page. */
export const PAGE: TestPlace = {
  isShared: true,
  open: (options) => openRuntime({ ...options, database: DATABASE }),
  openInMemory: (options) => openRuntime({ ...options, store: 'memory' }),
};

const must = (isSo: boolean, said: string): void => {
  if (!isSo) throw new Error(said);
};

/** The origin's private files, where the page may have them. */
async function privateRoot(): Promise<FileSystemDirectoryHandle> {
  const root = await navigator.storage?.getDirectory?.().catch(() => undefined);
  if (root === undefined) throw new NotTried('no_files');
  return root;
}

const files: Act = async (test) => {
  const { mirror } = (await test.runtime()).info.store;
  if (mirror !== 'opfs') throw new NotTried('no_files');
  const ledger = await (await privateRoot()).getDirectoryHandle(`sallyport.${DATABASE}.mirror`);
  const names: string[] = [];
  for await (const name of (ledger as unknown as { keys(): AsyncIterable<string> }).keys()) names.push(name);
  must(names.length > 0, 'the ledger has no private file');
  return {};
};

const PROBE = 'sallyport.selftest.probe';

/** Asks for a file larger than all that the browser permits, and looks whether the file and the ledger are as before. */
const refused: Act = async (test) => {
  const runtime = await test.runtime();
  const root = await privateRoot();
  const file = await root.getFileHandle(PROBE, { create: true });
  try {
    if (!('createWritable' in file)) throw new NotTried('no_files', 'createWritable');
    const written = await file.createWritable();
    await written.write('kept');
    await written.close();
    const { quota = 0 } = await navigator.storage.estimate();
    const error = await errorOf(file, quota + 2 ** 30);
    if (error === undefined) throw new NotTried('no_limit');
    must((await (await file.getFile()).text()) === 'kept', 'a refused write changed a file');
    await add(runtime, 3);
    return { error };
  } finally {
    await root.removeEntry(PROBE).catch(() => undefined);
  }
};

/** Name of the error of a file that is made this long; undefined where the browser takes it. */
async function errorOf(file: FileSystemFileHandle, bytes: number): Promise<string | undefined> {
  const stream = await file.createWritable({ keepExistingData: true });
  try {
    await stream.truncate(bytes);
    await stream.close();
    return undefined;
  } catch (error) {
    await stream.abort().catch(() => undefined);
    return String((Object(error) as { readonly name?: unknown }).name);
  }
}

/** Keeps this page and its files for when the server is gone, as the playground does. */
const offline: Act = async () => {
  const { serviceWorker } = navigator as { readonly serviceWorker?: ServiceWorkerContainer };
  if (import.meta.env.DEV) throw new NotTried('development');
  if (serviceWorker === undefined) throw new NotTried('no_service_worker');
  const url = scriptPolicy().createScriptURL(new URL('service-worker.js', document.baseURI).href);
  const registered = await serviceWorker.register(url).catch((error: unknown) => {
    throw new NotTried('no_service_worker', String((Object(error) as { readonly message?: unknown }).message));
  });
  await Promise.race([serviceWorker.ready, installFailure(registered)]);
  const here = new URL('selftest.html', document.baseURI).href;
  must((await caches.match(here)) !== undefined, 'the page is not kept');
  await keepScripts();
  return {};
};

/** Rejects where the first service worker of this site cannot install; `ready` would wait for ever. */
export function installFailure(registered: Pick<ServiceWorkerRegistration, 'installing' | 'active'>): Promise<never> {
  return new Promise((_, reject) => {
    const { installing } = registered;
    installing?.addEventListener('statechange', () => {
      if (installing.state === 'redundant' && registered.active === null)
        reject(new Error('The service worker could not keep the files of the page.'));
    });
  });
}

/** Keeps the scripts of this page, which no visitor of the playground loads. They came before the service worker. */
async function keepScripts(): Promise<void> {
  const loaded = performance.getEntriesByType('resource').map(({ name }) => name);
  const scripts = [...new Set(loaded)].filter((name) => /\/selftest-[\w.-]+\.js$/.test(new URL(name).pathname));
  const names = (await caches.keys()).filter((each) => each.startsWith(CACHE_PREFIX));
  must(names.length > 0 && scripts.length > 0, 'no script is kept');
  // a build that waits to take over has a cache, too
  for (const name of names) await (await caches.open(name)).addAll(scripts);
}

/** The parts that begin without a person, in their order. */
export const AT_ONCE: { readonly [P in PartId]?: Act } = { ...COMMON, files, refused, offline };

const STATE = 'sallyport.selftest.reload';

/** Writes a session into the ledger, keeps what the page shows, and loads the page anew. */
export async function reloadWith(test: DeviceTest, shown: SelftestResult): Promise<void> {
  const runtime = await test.runtime();
  const session = runtime.openSession({ label: 'selftest' });
  const called = await session.call('selftest.add', { a: 4, b: 1 });
  must(called.ok, 'no call ran');
  const records = (await runtime.ledger.records(session.run.id)).length;
  sessionStorage.setItem(STATE, JSON.stringify({ run_id: session.run.id, records, shown } satisfies BeforeReload));
  history.replaceState(undefined, '', location.pathname);
  location.reload();
}

/** What the page kept before it was loaded anew; undefined where it was not. */
export function takeBefore(): BeforeReload | undefined {
  const text = sessionStorage.getItem(STATE);
  sessionStorage.removeItem(STATE);
  return text === null ? undefined : parseBefore(text);
}

/** The session goes on behind the reload, with every record. */
export const afterReload =
  ({ run_id, records }: BeforeReload): Act =>
  async (test) => {
    const runtime = await test.runtime();
    must((await runtime.ledger.verify(run_id)).ok, 'the run is altered after the page was loaded anew');
    must((await runtime.ledger.records(run_id)).length >= records, 'records are gone after the page was loaded anew');
    const session = runtime.openSession({ label: 'selftest', resume: run_id });
    const called = await session.call('selftest.add', { a: 5, b: 1 });
    must(called.ok && called.value === 6, 'the session does not go on after the page was loaded anew');
    await session.close();
    return {};
  };

const CHANNEL = 'sallyport.selftest.tabs';
/** Fragment of the second tab. */
export const TAB = '#tab';

type TabMessage = { readonly ready: true } | { readonly run_id: string } | { readonly done: string };

function parseTabMessage(data: unknown): TabMessage {
  return Object(data) as TabMessage;
}

/** Opens this page in a second tab, which takes a run over and ends it. A click has to begin this part. */
export const inSecondTab: Act = async (test) => {
  const channel = new BroadcastChannel(CHANNEL);
  const told = new Promise<string>((resolve, reject) => {
    let run_id: string | undefined;
    channel.onmessage = async ({ data }) => {
      const message = parseTabMessage(data);
      if ('done' in message) return resolve(message.done);
      if (!('ready' in message) || run_id !== undefined) return;
      try {
        run_id = (await openShared(await test.runtime())).id;
        channel.postMessage({ run_id } satisfies TabMessage);
      } catch (error) {
        reject(error as Error);
      }
    };
    test.signal.addEventListener('abort', () => reject(new NotTried('canceled')), { once: true });
  });
  const tab = open(`${location.pathname}${TAB}`, '_blank');
  try {
    if (tab === null) throw new NotTried('popup');
    const [code, run_id = ''] = (await told).split(' ');
    must(code === 'ok', `the second tab: ${code} ${run_id}`);
    await checkShared(await test.runtime(), run_id);
    return {};
  } finally {
    told.catch(() => undefined);
    channel.close();
    tab?.close();
  }
};

/** The first tab opens its runtime before it answers. */
const ALONE_AFTER_MS = 5000;

/**
 * The part of the second tab: asks the first tab for its run, takes it over, ends it, and says so. `alone` is called when
 * no first tab answers for some seconds; a late answer still counts.
 */
export async function beSecondTab(signal: AbortSignal, alone: () => void): Promise<void> {
  const channel = new BroadcastChannel(CHANNEL);
  try {
    const given = new Promise<string>((resolve) => {
      channel.onmessage = ({ data }) => {
        const message = parseTabMessage(data);
        if ('run_id' in message) resolve(String(message.run_id));
      };
    });
    const runtime = await PAGE.open(OPTIONS);
    channel.postMessage({ ready: true } satisfies TabMessage);
    const waiting = setTimeout(alone, ALONE_AFTER_MS);
    const run_id = await given.finally(() => clearTimeout(waiting));
    const done = await takeOver(runtime, run_id, signal).then(
      () => `ok ${run_id}`,
      (error: unknown) => `failed ${String(error)}`,
    );
    await runtime.close();
    channel.postMessage({ done } satisfies TabMessage);
  } finally {
    channel.close();
  }
}
