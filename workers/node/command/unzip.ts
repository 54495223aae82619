/** A file that may be an export: its bytes, or the reason that it cannot be read. Its name is a stranger's text. */
export type InputFile =
  | { readonly name: string; readonly bytes: Uint8Array }
  | { readonly name: string; readonly fault: string };

/** Bounds on a stranger's zip: number of files, bytes of a file, bytes of all files. */
const FILES_MAX = 1_000;
const FILE_BYTES_MAX: number = 64 << 20;
const TOTAL_BYTES_MAX: number = 256 << 20;

/**
 * Unpacks the files of a zip that may be exports, in the zip's order. Reads the central directory and compares sizes
 * and checksums with the result. Refuses overlapping and ambiguous entries. Never unpacks more than the bounds permit.
 */
export async function filesInZip(
  bytes: Uint8Array,
  isWanted: (name: string) => boolean,
): Promise<readonly InputFile[]> {
  const { configure, Uint8ArrayReader, Uint8ArrayWriter, ZipReader } = await import(
    '@zip.js/zip.js/lib/zip-core-native.js'
  );
  configure({ useWebWorkers: false });
  const checks = { strictness: 'strict', checkSignature: true, checkOverlappingEntry: true } as const;
  const reader = new ZipReader(new Uint8ArrayReader(bytes), checks);
  const entries = await reader.getEntries();
  if (entries.length > FILES_MAX) throw new Error(`it has ${entries.length} entries, the limit is ${FILES_MAX}`);
  const found: InputFile[] = [];
  let total = 0;
  for (const entry of entries) {
    const { directory, filename: name, uncompressedSize: size } = entry;
    if (directory || !isWanted(name)) continue;
    total += size;
    if (size > FILE_BYTES_MAX || total > TOTAL_BYTES_MAX) {
      found.push({ name, fault: `it unpacks to ${size} bytes, which is over the limit` });
      break;
    }
    const read = await entry.getData(new Uint8ArrayWriter()).catch((error: unknown) => error);
    found.push(read instanceof Uint8Array ? { name, bytes: read } : { name, fault: sentence(read) });
  }
  return found;
}

function sentence(error: unknown): string {
  return error instanceof Error ? error.message : 'it cannot be unpacked';
}
