import { lstat, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type Terminal, UsageError } from './command.ts';

/**
 * The files of an operand: a single file, the files of a zip, or the files of a folder. Each zip and folder is a group.
 */
export interface Group {
  readonly name: string;
  readonly files: readonly InputFile[];
}

/** Bound on the files of a folder, so that a mistaken home directory fails before all of it is read. */
const FILES_MAX = 5_000;
const DEPTH_MAX = 8;

/** Every group that these operands name, in their order. Rejects with `UsageError` where an operand cannot be read. */
export async function groupsOf(operands: readonly string[], terminal: Terminal): Promise<readonly Group[]> {
  const groups: Group[] = [];
  for (const path of operands) {
    if (!(await isFolder(path))) groups.push(await groupOf(path, path, terminal));
    else for (const group of await foldersOf(path, terminal)) groups.push(group);
  }
  return groups;
}

export async function isFolder(path: string): Promise<boolean> {
  const found = path === '-' ? undefined : await stat(path).catch(() => undefined);
  return found?.isDirectory() === true;
}

/**
 * True for a file in a folder or zip that may be an export by its name. A file named as an operand is checked in any
 * case.
 */
function isExportName(name: string): boolean {
  return /\.(?:jsonl|html)$/iu.test(name);
}

async function groupOf(path: string, name: string, terminal: Terminal): Promise<Group> {
  const bytes = await terminal.read(path);
  if (!isZip(bytes)) return { name, files: [{ name, bytes }] };
  try {
    const files = await filesInZip(bytes, isExportName);
    const none = { name, fault: 'it holds no file that may be an export' };
    return {
      name,
      files: files.length === 0 ? [none] : files.map((file) => ({ ...file, name: `${name}: ${file.name}` })),
    };
  } catch (error) {
    return { name, files: [{ name, fault: error instanceof Error ? error.message : 'it cannot be unpacked' }] };
  }
}

/** True for a local file header, or the end of an empty archive. */
function isZip([p, k, three, four]: Uint8Array): boolean {
  return p === 0x50 && k === 0x4b && ((three === 3 && four === 4) || (three === 5 && four === 6));
}

/** The files of a folder as a group; each zip in it is a group of its own. Links are not followed. */
async function foldersOf(root: string, terminal: Terminal): Promise<readonly Group[]> {
  const paths: string[] = [];
  const walk = async (folder: string, depth: number): Promise<void> => {
    const names = await readdir(folder).catch((error: unknown) => {
      throw new UsageError(`${folder} cannot be read (${(error as { code?: string }).code ?? 'unknown'})`);
    });
    for (const name of [...names].sort()) {
      const path = join(folder, name);
      const found = await lstat(path);
      if (found.isDirectory() && depth < DEPTH_MAX) await walk(path, depth + 1);
      else if (found.isFile() && (isExportName(name) || /\.zip$/iu.test(name))) paths.push(path);
      if (paths.length > FILES_MAX) throw new UsageError(`${root} holds more than ${FILES_MAX} files`);
    }
  };
  await walk(root, 0);
  const groups = new Map<string, InputFile[]>();
  for (const path of paths) {
    const group = await groupOf(path, path, terminal);
    const name = /\.zip$/iu.test(path) ? path : join(path, '..');
    groups.set(name, [...(groups.get(name) ?? []), ...group.files]);
  }
  if (groups.size === 0) throw new UsageError(`${root} holds no export: no file ends with .jsonl, .html or .zip`);
  return [...groups].map(([name, files]) => ({ name, files }));
}

/** A file that may be an export: its bytes, or the reason that it cannot be read. Its name is a stranger's text. */
type InputFile =
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
async function filesInZip(bytes: Uint8Array, isWanted: (name: string) => boolean): Promise<readonly InputFile[]> {
  const { configure, Uint8ArrayReader, Uint8ArrayWriter, ZipReader } = await import(
    '@zip.js/zip.js/lib/zip-core-native.js'
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
