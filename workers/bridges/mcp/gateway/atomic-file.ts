import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { lockDirectory } from '../../../store/directory/lock.ts';

/** ms that a process waits for another process that changes the same file. */
const LOCK_MS = 5_000;

/** The bytes of a file, or undefined where it does not exist. */
export function readIfThere(path: string): Uint8Array | undefined {
  try {
    return readFileSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/**
 * Changes a file that several processes change. A lock beside the file lets one process read and write at a time, so no
 * change is lost; a reader sees the old file or the new file. `change` returns the new text, or undefined to leave it.
 */
export async function changeFile(
  path: string,
  change: (bytes: Uint8Array | undefined) => string | undefined,
): Promise<void> {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const release = await lock(`${path}.lock`);
  try {
    const text = change(readIfThere(path));
    if (text !== undefined) replaceFile(path, text);
  } finally {
    release();
  }
}

/** Writes a file beside the target and renames it. A link stays a link, and the mode stays. */
function replaceFile(path: string, text: string): void {
  const { target, mode } = targetOf(path);
  const aside = `${target}.${process.pid}.new`;
  const file = openSync(aside, 'w', mode);
  try {
    writeFileSync(file, text);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(aside, target);
}

function targetOf(path: string): { readonly target: string; readonly mode: number } {
  try {
    const target = realpathSync(path);
    return { target, mode: statSync(target).mode & 0o777 };
  } catch {
    return { target: path, mode: 0o600 };
  }
}

async function lock(folder: string): Promise<() => void> {
  const until = Date.now() + LOCK_MS;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  for (;;) {
    const taken = lockDirectory(folder);
    if (taken.ok) return () => taken.value.release();
    if (Date.now() > until) throw new Error(`${folder} is held by another process. ${taken.refusal.message}`);
    await wait(10);
  }
}

/** ms between two looks at a file. */
const LOOK_MS = 500;

/** Tells one version of a file from another; undefined where the file does not exist or cannot be looked at. */
export type FileStamp = string | undefined;

export function stampOf(path: string): FileStamp {
  try {
    const { ino, size, mtimeMs } = statSync(path);
    return `${ino} ${size} ${mtimeMs}`;
  } catch {
    return undefined;
  }
}

/**
 * Calls the listener when the file differs from its version of this stamp, and after each later change. A stamp that is
 * taken before the file is read misses no change. Returns a function that ends this.
 */
export function watchFrom(path: string, stamp: FileStamp, listener: () => void): () => void {
  let known = stamp;
  const timer = setInterval(() => {
    const now = stampOf(path);
    if (now === known) return;
    known = now;
    listener();
  }, LOOK_MS);
  timer.unref();
  return () => clearInterval(timer);
}
