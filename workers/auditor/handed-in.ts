import { decodeForCheck } from '../../core/json/utf8.ts';
import { exportIn, packedIn } from '../../core/ledger/html.ts';
import { loadPart } from '../load-part.ts';
import { EXPORT_BYTES_MAX, unpack } from '../unpack.ts';

/**
 * Files that were handed in together: a single file, the files of a zip, or the files of a folder. Each zip and folder
 * is a group.
 */
export interface Group {
  readonly name: string;
  readonly files: readonly InputFile[];
}

/**
 * True for a file in a folder or zip that may be an export by its name. A file named as an operand is checked in any
 * case. Names with a dot in front are notes of a file system, as macOS puts them into a zip.
 */
function isExportName(name: string): boolean {
  return /(?:^|[\\/])[^.\\/][^\\/]*\.(?:jsonl|html)$/iu.test(name);
}

function isZipName(name: string): boolean {
  return /(?:^|[\\/])[^.\\/][^\\/]*\.zip$/iu.test(name);
}

/** True for a file in a folder that may be evidence by its name: an export or a zip. */
export function isEvidenceName(path: string): boolean {
  return isExportName(path) || isZipName(path);
}

/** The group of a file: the files of a zip, or the file alone. A zip that cannot be read is a group with its fault. */
export async function groupOf(name: string, bytes: Uint8Array): Promise<Group> {
  if (!isZip(bytes)) return { name, files: [{ name, bytes }] };
  try {
    const files = await filesInZip(bytes);
    const none = { name, fault: 'it holds no file that may be an export' };
    return {
      name,
      files: files.length === 0 ? [none] : files.map((file) => ({ ...file, name: `${name}: ${file.name}` })),
    };
  } catch (error) {
    return { name, files: [{ name, fault: sentence(error) }] };
  }
}

/** The group that a file of a folder belongs to, by its path: its folder, or `.`. A zip is a group of its own. */
export function groupNameOf(path: string): string {
  if (isZipName(path)) return path;
  return /^(.*)[\\/][^\\/]*$/su.exec(path)?.[1] ?? '.';
}

/** The export in these bytes, bare or inside a page. Bytes that are not UTF-8 stay malformed. */
export async function textOf(bytes: Uint8Array): Promise<string> {
  const text = decodeForCheck(bytes);
  const packed = packedIn(text);
  if (packed === undefined) return exportIn(text);
  const unpacked = await unpack(packed, 'gzip', EXPORT_BYTES_MAX);
  // a stranger made them: they are no export
  return typeof unpacked === 'string' ? '' : decodeForCheck(unpacked);
}

/** True for a local file header, or the end of an empty archive. */
function isZip([p, k, three, four]: Uint8Array): boolean {
  return p === 0x50 && k === 0x4b && ((three === 3 && four === 4) || (three === 5 && four === 6));
}

/** A file that may be an export: its bytes, or the reason that it cannot be read. Its name is a stranger's text. */
export type InputFile =
  | { readonly name: string; readonly bytes: Uint8Array }
  | { readonly name: string; readonly fault: string };

/** Bounds on a stranger's zip: number of files, bytes of a file, bytes of all files. */
const ZIP_FILES_MAX = 1_000;
const FILE_BYTES_MAX: number = 64 << 20;
const TOTAL_BYTES_MAX: number = 256 << 20;

/**
 * Unpacks the files of a zip that may be exports, in the zip's order. Reads the central directory and compares sizes
 * and checksums with the result. Refuses overlapping and ambiguous entries. Never unpacks more than the bounds permit.
 */
async function filesInZip(bytes: Uint8Array): Promise<readonly InputFile[]> {
  const { configure, Uint8ArrayReader, Uint8ArrayWriter, ZipReader } = await loadPart(
    () => import('@zip.js/zip.js/lib/zip-core-native.js'),
  );
  configure({ useWebWorkers: false });
  const checks = { strictness: 'strict', checkSignature: true, checkOverlappingEntry: true } as const;
  const reader = new ZipReader(new Uint8ArrayReader(bytes), checks);
  const entries = await reader.getEntries();
  if (entries.length > ZIP_FILES_MAX)
    throw new Error(`it has ${entries.length} entries, the limit is ${ZIP_FILES_MAX}`);
  const found: InputFile[] = [];
  let total = 0;
  for (const entry of entries) {
    const { directory, filename: name, uncompressedSize: size } = entry;
    if (directory || !isExportName(name)) continue;
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
