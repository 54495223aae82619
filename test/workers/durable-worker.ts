/** One kernel's ledger in a worker, where private files can be written: each worker is a tab of its own. */
import { expose, proxy } from 'comlink';
import { openDurableStore } from '../../workers/mirror/durable.ts';

let release: () => void = () => undefined;

expose({
  async open(name: string) {
    const store = await openDurableStore(name);
    if (!store.ok) throw new Error(store.refusal.code);
    return proxy(store.value);
  },
  /** What a wipe leaves: nothing of the database, and all of the rest. */
  async remove(what: 'database' | 'mirror' | 'end of the mirror', name: string) {
    if (what === 'end of the mirror') {
      const root = await navigator.storage.getDirectory();
      const folder = await (await root.getDirectoryHandle(`${name}.mirror`)).getDirectoryHandle('e1');
      const writable = await (await folder.getFileHandle('0.journal')).createWritable({ keepExistingData: true });
      await writable.truncate((await (await folder.getFileHandle('0.journal')).getFile()).size - 10);
      return writable.close();
    }
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
  /** From the one after so many on, every act on private files fails: the power went. */
  cutAfter(acts: number) {
    let left = acts;
    const handles = (globalThis as unknown as { FileSystemSyncAccessHandle: { prototype: object } })
      .FileSystemSyncAccessHandle.prototype;
    const all = [...['write', 'flush', 'truncate'].map((act) => [handles, act] as const)];
    for (const [proto, act] of [...all, [FileSystemDirectoryHandle.prototype, 'removeEntry'] as const]) {
      const real = Reflect.get(proto, act) as (...args: unknown[]) => unknown;
      Reflect.set(proto, act, function (this: unknown, ...args: unknown[]) {
        if (left-- <= 0) throw new Error('the power went');
        return real.apply(this, args);
      });
    }
  },
  /** Whoever makes a copy anew waits for its file until it is released. */
  hold() {
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    const folders = FileSystemDirectoryHandle.prototype;
    const real = folders.getFileHandle;
    folders.getFileHandle = async function (name, options) {
      if (options?.create === true && name !== '0.journal') await gate;
      return real.call(this, name, options);
    };
  },
  release: () => release(),
  /** As soon as this tab has heard of another one, and what is in it has. */
  releaseOnArrival(name: string) {
    new BroadcastChannel(`sallyport:alive:${name}`).onmessage = () => release();
  },
  /** Every byte of the second copy, as text. */
  async mirrorText(name: string, epoch = 1) {
    const root = await navigator.storage.getDirectory();
    const folder = await (await root.getDirectoryHandle(`${name}.mirror`)).getDirectoryHandle(`e${epoch}`);
    const texts: string[] = [];
    for await (const handle of (folder as unknown as { values(): AsyncIterable<FileSystemFileHandle> }).values()) {
      texts.push(new TextDecoder().decode(await (await handle.getFile()).arrayBuffer()));
    }
    return texts;
  },
});
