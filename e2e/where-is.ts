import type { Page } from '@playwright/test';
import type * as pages from '../web/index.ts';
import type { Erasure, Runtime } from '../workers/api.ts';

/** In the page: places of this origin that contain these words, among rows, private files, caches and settings. */
export async function whereIs(words: string): Promise<string[]> {
  const found: string[] = [];
  const look = (where: string, bytes: BufferSource) => {
    if (new TextDecoder('latin1').decode(bytes).includes(words)) found.push(where);
  };
  const plain = (value: unknown): string =>
    JSON.stringify(value, (_, part) => (part instanceof Uint8Array ? new TextDecoder('latin1').decode(part) : part));
  const answered = <T>(request: IDBRequest<T>) =>
    new Promise<T>((resolve, reject) => {
      request.onsuccess = () => resolve(request.result);
      request.onerror = () => reject(request.error);
    });
  for (const { name = '' } of await indexedDB.databases()) {
    const db = await answered(indexedDB.open(name));
    for (const store of db.objectStoreNames) {
      const rows = await answered(db.transaction(store).objectStore(store).getAll());
      if (plain(rows)?.includes(words)) found.push(`${name}/${store}`);
    }
    db.close();
  }
  const walk = async (folder: FileSystemDirectoryHandle): Promise<void> => {
    for await (const handle of (folder as unknown as { values(): AsyncIterable<FileSystemHandle> }).values()) {
      if (handle.kind === 'directory') await walk(handle as FileSystemDirectoryHandle);
      else look(handle.name, await (await (handle as FileSystemFileHandle).getFile()).arrayBuffer());
    }
  };
  await walk(await navigator.storage.getDirectory());
  for (const name of await caches.keys()) {
    const cache = await caches.open(name);
    for (const key of await cache.keys())
      look(name, (await (await cache.match(key))?.arrayBuffer()) ?? new ArrayBuffer());
  }
  if (plain({ ...localStorage }).includes(words)) found.push('settings');
  return found;
}

/** Words that a run of `keepWords` puts into its arguments, into a stored value, and into the heap of a parked call. */
export const WORDS = 'Quillon-Farsham';

interface Opened {
  runtime: Runtime;
}

/** Opens a ledger in a page of the site that has none of its own open. */
export async function openLedger(page: Page, url: string): Promise<void> {
  await page.goto(`${url}docs/`);
  await page.evaluate(async () => {
    const { defineCapability, definePower, openRuntime } = (await import(
      new URL('/index.js', location.href).href
    )) as typeof pages;
    const terms = { version: '1.0.0', description: 'For a test.', labels: [] } as const;
    const keeper = defineCapability({
      ...terms,
      name: 'keeper',
      effect: 'egress',
      args: { type: 'object' },
      powers: ['store.put', 'mail.send'],
      source: `export default async ({ words }, { store, mail }) => {
        const heap = words + '-heap';
        await store.put('k', words);
        await mail.send({});
        return heap.length;
      }`,
    });
    (globalThis as unknown as Opened).runtime = await openRuntime({
      assets: '/',
      capabilities: [keeper],
      powers: [definePower({ ...terms, name: 'mail.send', effect: 'egress', args: {}, run: () => 1 })],
      grants: [
        { capability: 'keeper', mode: 'allow' },
        // the call is parked while a person is asked
        { power: 'mail.send', mode: 'ask' },
      ],
      approve: async () => {
        await new Promise((later) => setTimeout(later, 500));
        return { approved: true };
      },
    });
  });
}

/** Makes a run whose call is parked and stores a value, both with `WORDS`. Returns its id. */
export function keepWords(page: Page): Promise<string> {
  return page.evaluate(async (words) => {
    const { runtime } = globalThis as unknown as Opened;
    const session = runtime.openSession();
    const { ok } = await session.call('keeper', { words });
    await session.close();
    const kinds = (await runtime.ledger.records(session.run.id)).map(({ kind }) => kind);
    if (!ok || !kinds.includes('parked')) throw new Error(kinds.join());
    return session.run.id;
  }, WORDS);
}

/** Erases a run with its stored values. */
export function eraseRun(page: Page, run_id: string): Promise<Erasure> {
  return page.evaluate((id) => (globalThis as unknown as Opened).runtime.ledger.erase(id, { stored: true }), run_id);
}
