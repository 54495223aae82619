import { SallyportError } from '../../../../core/index.ts';
import { corpusView } from '../../../texts/en/corpus-view.ts';
import { PageError } from '../../parts/page-error.ts';
import type { Source, SourceEntry } from './source.ts';

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
  const { BlobReader, configure, ZipReader } = await import('@zip.js/zip.js/lib/zip-core-native.js');
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
    if (entry.directory) continue;
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
