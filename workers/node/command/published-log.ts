import { existsSync, lstatSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { concatBytes } from '../../../core/hash.ts';
import type { TileFile } from '../../../core/ledger/tiles.ts';
import type { ReadLogFile } from '../../auditor/compare-checkpoints.ts';
import { CHECKPOINT_FILE } from '../../auditor/publish-log.ts';
import { UsageError } from './command.ts';

/** The largest file of a published log: a bundle of 256 entries of 32 bytes, or a checkpoint with many runs. */
const FILE_BYTES_MAX = 16 * 1024 * 1024;

/** Makes the folders of a path inside a folder, and follows no link. */
function makeFolders(folder: string, path: string): void {
  let at = folder;
  for (const name of path === '.' ? [] : path.split('/')) {
    at = join(at, name);
    const found = lstatSync(at, { throwIfNoEntry: false });
    if (found === undefined) mkdirSync(at);
    else if (!found.isDirectory()) throw new UsageError(`${at} is a link or a file, and no folder of the log`);
  }
}

export function isAddress(log: string): boolean {
  return /^https?:\/\//.test(log);
}

/** True for a folder with a published log, or an address where one may be. */
export function isPublished(log: string): boolean {
  return isAddress(log) || existsSync(join(log, CHECKPOINT_FILE));
}

/** Reads the files of a published log, in a folder or at an address. */
export function logReader(log: string): ReadLogFile {
  return isAddress(log) ? (path) => fetched(`${log.replace(/\/+$/, '')}/${path}`) : (path) => fileAt(join(log, path));
}

async function fileAt(path: string): Promise<Uint8Array | undefined> {
  const found = await stat(path).catch(() => undefined);
  if (found === undefined || !found.isFile() || found.size > FILE_BYTES_MAX) return undefined;
  return new Uint8Array(await readFile(path));
}

async function fetched(url: string): Promise<Uint8Array | undefined> {
  const response = await fetch(url, { redirect: 'error', signal: AbortSignal.timeout(30_000) }).catch(() => undefined);
  if (response === undefined) throw new UsageError(`${url} cannot be reached`);
  if (response.status === 404) return undefined;
  if (!response.ok) throw new UsageError(`${url} answers with the status ${response.status}`);
  return bytesIn(response, url);
}

async function bytesIn({ body }: Response, url: string): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of body ?? []) {
    length += piece.length;
    if (length > FILE_BYTES_MAX) throw new UsageError(`${url} is too large for a file of a log`);
    pieces.push(piece);
  }
  return concatBytes(...pieces);
}

/**
 * Writes a file in one go: a reader finds the whole file, or the file before. Throws `UsageError` where a part of the
 * path inside the folder is a link: the folder may be a stranger's checkout, and the log belongs into it.
 */
export function writeLogFile(folder: string, { path, bytes }: TileFile): void {
  const at = join(folder, path);
  mkdirSync(folder, { recursive: true });
  makeFolders(folder, dirname(path));
  const made = `${at}.${process.pid}.new`;
  rmSync(made, { force: true });
  writeFileSync(made, bytes, { flag: 'wx' });
  renameSync(made, at);
  // A full tile takes the place of the narrow tiles before it.
  if (!path.includes('.p/')) rmSync(`${at}.p`, { recursive: true, force: true });
}
