/** Ledger of a kernel in a worker, where private files can be written. Each worker plays a tab. */
import { type Outcome, SallyportError } from '../../../../core/index.ts';
import { uploadFiles } from '../../../../workers/client/content-upload.ts';
import { prepareReplacement } from '../../../../workers/kernel/backup/backup.ts';
import { openContentRepository } from '../../../../workers/kernel/content/repository.ts';
import { makeSearch } from '../../../../workers/kernel/content/search.ts';
import { makeContentService } from '../../../../workers/kernel/content/service.ts';
import { methodsAt, portOf, serveMethods } from '../../../../workers/lock/realm-port.ts';
import { openPageStore } from '../../../../workers/store/page/store.ts';
import type { Append, Pages } from '../../../../workers/store/store.ts';
import type { TableWrite } from '../../../../workers/store/tables.ts';
import { muchContent } from './much.ts';

/** Copy of `valueOf` of the suites, which cannot be loaded in this worker. */
function valueOf<T>(outcome: Outcome<T>): T {
  if (outcome.ok) return outcome.value;
  throw new Error(outcome.refusal.code);
}

interface Writable {
  write(bytes: Uint8Array, options: { at: number }): number;
}

/** Method of the test at the port of a restoration. */
export interface Paging {
  readonly pages: Pages;
}

let release: () => void = () => undefined;
const kept: (() => void)[] = [];
let realWrite: Writable['write'] | undefined;

/** Names of the files in which text waits to be stored. */
async function aside(name: string): Promise<string[]> {
  const root = await navigator.storage.getDirectory();
  const folder = await root.getDirectoryHandle(`${name}.scratch`).catch(() => undefined);
  const names: string[] = [];
  if (folder === undefined) return names;
  for await (const each of (folder as unknown as { keys(): AsyncIterable<string> }).keys()) names.push(each);
  return names;
}

/**
 * Lets every act on private files fail after the given number of acts, like a power cut. The ledger flushes by itself
 * at times: a test of a single put counts writes alone.
 */
function cutAfter(acts: number, counted: readonly string[] = ['write', 'flush', 'truncate', 'removeEntry', 'move']) {
  let left = acts;
  const handles = (globalThis as unknown as { FileSystemSyncAccessHandle: { prototype: object } })
    .FileSystemSyncAccessHandle.prototype;
  const all = [
    ...['write', 'flush', 'truncate'].map((act) => [handles, act] as const),
    [FileSystemDirectoryHandle.prototype, 'removeEntry'],
    [FileSystemFileHandle.prototype, 'move'],
  ] as const;
  for (const [proto, act] of all) {
    const real = Reflect.get(proto, act) as (...args: unknown[]) => unknown;
    Reflect.set(proto, act, function (this: unknown, ...args: unknown[]) {
      if (counted.includes(act)) left -= 1;
      if (left < 0) throw new Error('the power went');
      return real.apply(this, args);
    });
  }
}

serveMethods(self, {
  async open(name: string) {
    const store = await openPageStore(name);
    if (!store.ok) throw new Error(store.refusal.code);
    const {
      kind: _,
      scratch: __,
      exchange: ___,
      unreadBytes: ____,
      unreadRows: _____,
      restore,
      ...methods
    } = store.value;
    return portOf({
      ...methods,
      restore: (pages: MessagePort) => restore(methodsAt<Paging>(pages, { pages: true }).pages),
    });
  },
  /** Removes the database, the private files, or the last third of each private file. */
  async remove(what: 'database' | 'mirror' | 'end of the mirror', name: string) {
    if (what === 'end of the mirror') {
      const root = await navigator.storage.getDirectory();
      const folder = await (await root.getDirectoryHandle(`${name}.mirror`)).getDirectoryHandle('e1');
      for await (const handle of (folder as unknown as { values(): AsyncIterable<FileSystemFileHandle> }).values()) {
        const writable = await handle.createWritable({ keepExistingData: true });
        await writable.truncate(Math.floor(((await handle.getFile()).size * 2) / 3));
        await writable.close();
      }
      return;
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
  cutAfter,
  /** Keeps the timers of a second or more from now on, until `fireTimers` lets each fire. */
  keepTimers() {
    const real = globalThis.setTimeout;
    const keep = (act: () => void, ms = 0): unknown => (ms < 1_000 ? real(act, ms) : kept.push(act));
    Reflect.set(globalThis, 'setTimeout', keep);
  },
  fireTimers() {
    for (const act of kept.splice(0)) act();
  },
  /** Hears no other tab from now on, as a frozen tab. */
  deafen() {
    Object.defineProperty(BroadcastChannel.prototype, 'onmessage', { set() {} });
  },
  /** Opens a ledger and replaces it by a backup, with a cut after so many acts; `share` is where the work stands still. */
  async replaceBy(name: string, backup: Blob, { acts, share = 2 }: { acts?: number; share?: number }) {
    const store = valueOf(await openPageStore(name));
    if (acts !== undefined) cutAfter(acts);
    const tell = (done: number, all: number) => (done / all < share ? true : new Promise<boolean>(() => undefined));
    const prepared = await prepareReplacement(store, backup, tell, 1);
    return prepared.ok && prepared.value !== undefined && (await prepared.value.commit()).ok;
  },
  /** From now on private files take half of a write, as a full disk does, or all of it. */
  fillDisk(isFull: boolean) {
    const handles = (globalThis as unknown as { FileSystemSyncAccessHandle: { prototype: Writable } })
      .FileSystemSyncAccessHandle.prototype;
    realWrite ??= handles.write;
    const real = realWrite;
    handles.write = function (bytes, options) {
      return real.call(this, isFull ? bytes.subarray(0, bytes.length / 2) : bytes, options);
    };
  },
  /** Holds each new copy at the creation of its file until `release` is called. */
  hold() {
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    const folders = FileSystemDirectoryHandle.prototype;
    const real = folders.getFileHandle;
    folders.getFileHandle = async function (name, options) {
      const isThere = real.call(this, name).then(
        () => true,
        () => false,
      );
      if (options?.create === true && !(await isThere)) await gate;
      return real.call(this, name, options);
    };
  },
  release: () => release(),
  /** Puts rows until an append that began meanwhile is acknowledged. Returns the number of rows. */
  async putUntilAppended(name: string, append: Append) {
    const store = valueOf(await openPageStore(name));
    let [rows, isAppended] = [0, false];
    const appendOne = async () => {
      valueOf(await store.append(append, 'strict'));
      isAppended = true;
    };
    let appending: Promise<void> | undefined;
    function* growing(): Generator<TableWrite> {
      for (let nth = 0; nth < 8_000; nth++) {
        if (nth >= rows && isAppended) return;
        // A reader that only looks whether there are many rows has stopped by now.
        if (nth === 40) appending ??= appendOne();
        rows = Math.max(rows, nth + 1);
        yield { table: 'files', key: `${nth}.md`, value: 'x'.repeat(1 << 14) };
      }
    }
    valueOf(await store.put({ [Symbol.iterator]: growing }, 'strict'));
    await appending;
    await store.close();
    return { rows, isAppended };
  },
  aside,
  /** Adds five megabytes, with the given ending. Returns the outcome and the number of files that waited aside. */
  async addMuch(name: string, ending: 'stored' | 'cancelled' | 'unreadable' | 'stopped') {
    const store = valueOf(await openPageStore(name));
    const repository = openContentRepository(store);
    const desk = makeContentService(
      store,
      repository,
      makeSearch(store, () => repository.corpus),
      () => false,
    );
    const cancel = new AbortController();
    let waiting = 0;
    async function* files() {
      yield* muchContent();
      waiting = (await aside(name)).length;
      if (ending === 'cancelled') cancel.abort(new Error('cancelled'));
      if (ending === 'stopped') await new Promise(() => undefined);
      if (ending === 'unreadable') {
        const handles = (globalThis as unknown as { FileSystemSyncAccessHandle: { prototype: { read: unknown } } })
          .FileSystemSyncAccessHandle.prototype;
        handles.read = () => 0;
      }
    }
    const outcome = await uploadFiles(desk, files(), { signal: cancel.signal }).then(
      ({ index_hash }) => index_hash,
      (reason: unknown) => (reason instanceof SallyportError ? reason.code : String(reason)),
    );
    const { files: held } = valueOf(await desk.contentOverview());
    const texts = held === 0 ? [] : [valueOf(await desk.fileText('0.md')), valueOf(await desk.fileText('59.md'))];
    await store.close();
    return { outcome, waiting, held, texts };
  },
  /** Releases the held copy when another tab announces itself. */
  releaseOnArrival(name: string) {
    new BroadcastChannel(`sallyport:alive:${name}`).onmessage = () => release();
  },
  /** Every byte of the private files, as text. */
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
