import weightsUrl from '../../../workers/bridges/models/small/weights.bin?url';

/** Models that a person has kept on this device: files in a folder of the page's private files. */
const FOLDER = 'models';

async function folder(): Promise<FileSystemDirectoryHandle> {
  const root = await navigator.storage.getDirectory();
  return root.getDirectoryHandle(FOLDER, { create: true });
}

/** The kept files, by name. A file whose copy was broken off has no bytes and does not count. */
export async function keptFiles(): Promise<readonly File[]> {
  const found: File[] = [];
  for await (const handle of (await folder()).values())
    if (handle.kind === 'file') found.push(await (handle as FileSystemFileHandle).getFile());
  return found.filter(({ size }) => size > 0).sort((a, b) => (a.name < b.name ? -1 : 1));
}

export interface FileCopyOptions {
  readonly signal: AbortSignal;
  /** Gets the share of the copy, from 0 to 1. */
  readonly onShare: (share: number) => void;
}

/** Copies the file into the private files, and returns the copy. A copy that is broken off leaves no file. */
export async function keepFile(file: File, { signal, onShare }: FileCopyOptions): Promise<File> {
  const place = await folder();
  const handle = await place.getFileHandle(file.name, { create: true });
  try {
    const writable = await handle.createWritable();
    let bytes = 0;
    const counted = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
      transform: (chunk, to) => {
        bytes += chunk.length;
        onShare(bytes / file.size);
        to.enqueue(chunk);
      },
    });
    await file.stream().pipeThrough(counted).pipeTo(writable, { signal });
    return await handle.getFile();
  } catch (error) {
    await place.removeEntry(file.name).catch(() => undefined);
    throw error;
  }
}

export async function removeFile(name: string): Promise<void> {
  await (await folder()).removeEntry(name);
}

/** Bytes of the small model, where the browser keeps it among the files of the page; undefined elsewhere. */
export async function smallModelBytes(): Promise<number | undefined> {
  // an insecure page has no caches
  const kept = typeof caches === 'undefined' ? undefined : await caches.match(weightsUrl);
  return kept && (await kept.blob()).size;
}

/** For "Delete everything". */
export async function removeFiles(): Promise<void> {
  const root = await navigator.storage.getDirectory();
  await root.removeEntry(FOLDER, { recursive: true }).catch(() => undefined);
}

/** Bytes that the browser still gives this page; undefined where it does not say. */
export async function roomBytes(): Promise<number | undefined> {
  const { quota, usage } = await navigator.storage.estimate();
  return quota === undefined || usage === undefined ? undefined : Math.max(0, quota - usage);
}
