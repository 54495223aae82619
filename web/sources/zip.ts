import type { Entry, Source } from './source.ts';

/** No file of a text corpus is larger; a zip that says otherwise, or is larger than it says, is a bomb. */
const FILE_BYTES_MAX = 64 << 20;

/**
 * The files of a zip. The archive is a stranger's: read by its central directory only, sizes and checksums held
 * against what comes out, ambiguous and overlapping entries and unsafe names refused.
 */
export function fromZip(file: File): Source {
  return { name: file.name, list: (signal) => listZip(file, signal) };
}

async function listZip(file: File, signal: AbortSignal): Promise<readonly Entry[]> {
  const { BlobReader, configure, Uint8ArrayWriter, ZipReader } = await import('@zip.js/zip.js/lib/zip-core-native.js');
  // Its own workers would come from blob: addresses, which the page's policy refuses.
  configure({ useWebWorkers: false });
  const checks = { strictness: 'strict', checkSignature: true, checkOverlappingEntry: true } as const;
  const reader = new ZipReader(new BlobReader(file), checks);
  const found = await reader.getEntries();
  signal.throwIfAborted();
  return found.flatMap((entry) => {
    if (entry.directory) return [];
    const { filename: path, uncompressedSize: size } = entry;
    const read = async (reading: AbortSignal): Promise<Uint8Array> => {
      if (size > FILE_BYTES_MAX) throw new Error(`it unpacks to ${size} bytes, the limit is ${FILE_BYTES_MAX}`);
      return entry.getData(new Uint8ArrayWriter(), { signal: reading });
    };
    return [{ path, size, read }];
  });
}
