import { SallyportError } from '../../../../core/index.ts';
import { loadPart } from '../../../../workers/load-part.ts';
import { corpus } from '../../../texts/en/corpus.ts';
import { corpusView } from '../../../texts/en/corpus-view.ts';
import { entriesIn, filesBelow } from '../../parts/dropped-files.ts';
import { PageError } from '../../parts/page-error.ts';
import type { Source, SourceEntry } from './source.ts';

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
  const dropped = entriesIn({ items });
  const [only] = dropped;
  if (only === undefined || !dropped.some((entry) => entry.isDirectory)) return fromFiles([...files]);
  const cut = dropped.length === 1 ? only.fullPath.length + 1 : 1;
  const source: Source = {
    get name() {
      return dropped.length === 1 ? only.name : corpus().dropped(dropped.length);
    },
    list: async (signal) =>
      (await filesBelow(dropped, signal)).map(({ path, open }) => ({
        path: path.slice(cut),
        read: async () => bytesOf(await open()),
      })),
  };
  return { source, picked: false };
}

function entryOf(path: string, file: File): SourceEntry {
  return { path, size: file.size, read: () => bytesOf(file) };
}

async function bytesOf(file: File): Promise<Uint8Array> {
  return new Uint8Array(await file.arrayBuffer());
}

/** Limits of an archive's unpacked content. */
export interface ZipLimits {
  readonly files: number;
  readonly fileBytes: number;
  readonly bytes: number;
}

/**
 * Each limit is above every file of a text corpus; the largest measured corpus has 20 MB. An archive that declares
 * more, or holds more than it declares, is a bomb.
 */
const LIMITS: ZipLimits = { files: 50_000, fileBytes: 64 << 20, bytes: 256 << 20 };

/**
 * The files of a zip. The archive is a stranger's: only its central directory is read, sizes and checksums are compared
 * with the unpacked bytes, and ambiguous entries, overlapping entries and unsafe names are refused. An archive that
 * exceeds the limits is refused with `archive_too_large` before more bytes than the limit have been unpacked.
 */
export function fromZip(file: File, limits: ZipLimits = LIMITS): Source {
  return { name: file.name, list: (signal) => listZip(file, limits, signal) };
}

async function listZip(file: File, limits: ZipLimits, signal: AbortSignal): Promise<readonly SourceEntry[]> {
  const { BlobReader, configure, ZipReader } = await loadPart(() => import('@zip.js/zip.js/lib/zip-core-native.js'));
  // Its own workers would come from blob: addresses, which the page's policy refuses.
  configure({ useWebWorkers: false });
  const checks = { strictness: 'strict', checkSignature: true, checkOverlappingEntry: true } as const;
  const reader = new ZipReader(new BlobReader(file), checks);
  const entries: SourceEntry[] = [];
  let listed = 0;
  let unpacked = 0;
  for await (const entry of reader.getEntriesGenerator()) {
    signal.throwIfAborted();
    // Folders count, too: each takes memory.
    if (++listed > limits.files) throw tooLarge('files', limits.files);
    // macOS puts its own records of files beside the files
    if (entry.directory || entry.filename.startsWith('__MACOSX/')) continue;
    const { filename: path, uncompressedSize: size } = entry;
    const read = async (reading: AbortSignal): Promise<Uint8Array> => {
      if (size > limits.fileBytes) throw new PageError(() => corpusView().sources.unpacksTo(size, limits.fileBytes));
      unpacked += size;
      if (unpacked > limits.bytes) throw tooLarge('bytes', limits.bytes);
      const { bytes, writable } = exactly(size);
      await entry.getData(writable, { signal: reading });
      return bytes;
    };
    entries.push({ path, size, read });
  }
  return entries;
}

/** Takes exactly `size` bytes: the size in an entry is a stranger's claim. */
function exactly(size: number): { bytes: Uint8Array; writable: WritableStream<Uint8Array> } {
  const bytes = new Uint8Array(size);
  let at = 0;
  const write = (chunk: Uint8Array): void => {
    if (at + chunk.length > size) throw new PageError(() => corpusView().sources.unpacksToMore);
    bytes.set(chunk, at);
    at += chunk.length;
  };
  return { bytes, writable: new WritableStream({ write }) };
}

function tooLarge(unit: 'files' | 'bytes', limit: number): SallyportError {
  const what = unit === 'files' ? `has more than ${limit} entries` : `unpacks to more than ${limit} bytes`;
  return new SallyportError('archive_too_large', `The archive ${what}. Nothing was added. Split it.`, { unit, limit });
}
