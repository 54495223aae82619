/** One kernel's ledger in a worker, where private files can be written: each worker is a tab of its own. */
import { expose, proxy } from 'comlink';
import { openDurableStore } from '../../workers/mirror/durable.ts';

expose({
  async open(name: string) {
    const store = await openDurableStore(name);
    if (!store.ok) throw new Error(store.refusal.code);
    return proxy(store.value);
  },
  /** What a wipe leaves: nothing of the database, and all of the rest. */
  async remove(what: 'database' | 'mirror', name: string) {
    if (what === 'mirror') {
      const root = await navigator.storage.getDirectory();
      return root.removeEntry(`${name}.mirror`, { recursive: true });
    }
    return new Promise<void>((resolve, reject) => {
      const request = indexedDB.deleteDatabase(name);
      request.addEventListener('success', () => resolve());
      request.addEventListener('error', () => reject(request.error ?? new Error('delete')));
    });
  },
  /** Every byte of the second copy, as text. */
  async mirrorText(name: string) {
    const root = await navigator.storage.getDirectory();
    const folder = await (await root.getDirectoryHandle(`${name}.mirror`)).getDirectoryHandle('e1');
    const texts: string[] = [];
    for await (const handle of (folder as unknown as { values(): AsyncIterable<FileSystemFileHandle> }).values()) {
      texts.push(new TextDecoder().decode(await (await handle.getFile()).arrayBuffer()));
    }
    return texts;
  },
});
