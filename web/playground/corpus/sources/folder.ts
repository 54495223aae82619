import { corpus } from '../../../texts/en/corpus.ts';
import type { Source, SourceEntry } from './source.ts';
import { fromZip } from './zip.ts';

/**
 * A source, and whether a person has chosen each of its files: then all files are taken, regardless of the patterns.
 */
export interface SourceChoice {
  readonly source: Source;
  readonly picked: boolean;
}

/** Single files, or a zip. */
export function fromFiles(files: readonly File[]): SourceChoice {
  const [first] = files;
  if (first !== undefined && files.length === 1 && /\.zip$/iu.test(first.name))
    return { source: fromZip(first), picked: false };
  const list = async () => files.map((file) => entryOf(file.name, file));
  const source: Source = {
    get name() {
      return files.length === 1 ? (first?.name ?? '') : corpus().files(files.length);
    },
    list,
  };
  return { source, picked: true };
}

/** A folder from `<input webkitdirectory>`: every path begins with the folder's own name, which is no part of ours. */
export function fromPickedFolder(files: readonly File[]): Source {
  const name = files[0]?.webkitRelativePath.split('/')[0] ?? '';
  const list = async () => files.map((file) => entryOf(file.webkitRelativePath.slice(name.length + 1), file));
  return { name, list };
}

/** A folder from the File System Access API. Links are not followed: the API shows none of them. */
export function fromHandle(folder: FileSystemDirectoryHandle): Source {
  const list = async (signal: AbortSignal): Promise<readonly SourceEntry[]> => {
    const entries: SourceEntry[] = [];
    for await (const entry of walk(folder, '', signal)) entries.push(entry);
    return entries;
  };
  return { name: folder.name, list };
}

async function* walk(
  folder: FileSystemDirectoryHandle,
  prefix: string,
  signal: AbortSignal,
): AsyncGenerator<SourceEntry> {
  for await (const [name, handle] of folder.entries()) {
    signal.throwIfAborted();
    const path = prefix + name;
    if (handle.kind === 'directory') yield* walk(handle as FileSystemDirectoryHandle, `${path}/`, signal);
    else yield { path, read: async () => bytesOf(await (handle as FileSystemFileHandle).getFile()) };
  }
}

/**
 * The dropped items: a folder's content without its name, or files as if they were picked. Call it in the drop event.
 */
export function fromDrop({ items, files }: Pick<DataTransfer, 'items' | 'files'>): SourceChoice {
  const dropped = [...items].map((item) => item.webkitGetAsEntry()).filter((entry) => entry !== null);
  const [only] = dropped;
  if (only === undefined || !dropped.some((entry) => entry.isDirectory)) return fromFiles([...files]);
  const cut = dropped.length === 1 ? only.fullPath.length + 1 : 1;
  const source: Source = {
    get name() {
      return dropped.length === 1 ? only.name : corpus().dropped(dropped.length);
    },
    list: (signal) => listAll(dropped, cut, signal),
  };
  return { source, picked: false };
}

/** @param cut how much of the beginning of each full path is not ours */
async function listAll(
  from: readonly FileSystemEntry[],
  cut: number,
  signal: AbortSignal,
): Promise<readonly SourceEntry[]> {
  const entries: SourceEntry[] = [];
  const waiting = [...from];
  for (let entry = waiting.pop(); entry !== undefined; entry = waiting.pop()) {
    signal.throwIfAborted();
    if (entry.isDirectory) waiting.push(...(await children(entry as FileSystemDirectoryEntry)));
    else entries.push(droppedEntry(entry as FileSystemFileEntry, cut));
  }
  return entries;
}

/** A reader returns a batch of entries at a time (a hundred in Chromium), and an empty batch at the end. */
async function children(folder: FileSystemDirectoryEntry): Promise<readonly FileSystemEntry[]> {
  const reader = folder.createReader();
  const found: FileSystemEntry[] = [];
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
    if (some.length === 0) return found;
    found.push(...some);
  }
}

function droppedEntry(entry: FileSystemFileEntry, cut: number): SourceEntry {
  const read = async () => bytesOf(await new Promise<File>((resolve, reject) => entry.file(resolve, reject)));
  return { path: entry.fullPath.slice(cut), read };
}

function entryOf(path: string, file: File): SourceEntry {
  return { path, size: file.size, read: () => bytesOf(file) };
}

async function bytesOf(file: File): Promise<Uint8Array> {
  return new Uint8Array(await file.arrayBuffer());
}
