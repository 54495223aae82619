import { statSync } from 'node:fs';

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
