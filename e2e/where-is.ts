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
