import type { ByteFile } from '../journal/file.ts';
import { decodeBody, type Entry } from '../journal/frame.ts';
import { hasContents } from '../journal/header.ts';
import { appendFrames, type FramePlace, frames, isDamageAt } from '../journal/journal.ts';
import { type FileFolder, newFileName } from './folder.ts';

/** The private file that this kernel writes. */
export interface OwnFile {
  readonly name: string;
  /** Made less than a minute ago, by this kernel or by a kernel that died: a power cut may take the file with its name. */
  readonly isNew: boolean;
  /** Appends an entry, and returns the place of its last frame. Throws what the platform throws; then none is written. */
  write(entry: Entry): FramePlace;
  /** Returns when all written entries are on the disk. */
  flush(): Promise<void>;
  readonly file: ByteFile;
}

/** Claims a file that no kernel writes, without its torn end, or makes a file. The index has it up to its offset. */
export async function claimFile(folder: FileFolder, offsets: ReadonlyMap<string, number>): Promise<OwnFile> {
  for (const name of await folder.names()) {
    const file = await folder.open(name);
    if (file === undefined) continue;
    if (isCut(file, offsets.get(name) ?? 0)) return ownFile(name, file, ageOf(file));
    file.close();
  }
  return makeFile(folder);
}

export async function makeFile(folder: FileFolder): Promise<OwnFile> {
  const name = newFileName();
  const file = await folder.open(name);
  if (file === undefined) throw new DOMException('A new file is open.', 'InvalidStateError');
  return ownFile(name, file, 0);
}

/**
 * Cuts a torn end off. False for a file that stays as it is: it goes on behind the torn frame; or a power cut has left
 * it shorter than its offset, and new content before the offset would never be read; or the index has left content of
 * it out, which the offset of new content would pass over.
 */
function isCut(file: ByteFile, from: number): boolean {
  if (file.size() < from) return false;
  const rest = { size: () => file.size() - from, read: (into: Uint8Array, at: number) => file.read(into, from + at) };
  const found = frames(rest);
  let next = found.next();
  while (next.done !== true) next = found.next();
  const end = from + next.value;
  if (end < file.size() && isDamageAt(file, end)) return false;
  if (end < file.size()) file.truncate(end);
  return end === from;
}

/** Time in which a system writes the name of a new file to the disk by itself, with room. */
const YOUNG_MS = 60_000;

/** Time since the first frame of a file was written, in ms. */
function ageOf(file: ByteFile): number {
  const first = frames(file).next();
  if (first.done === true) return 0;
  const { header, body } = first.value;
  const { at = 0 } = hasContents(header.state) ? decodeBody(body, header.state, 'viewed') : {};
  return Date.now() - at;
}

function ownFile(name: string, file: ByteFile, ageMs: number): OwnFile {
  const born = performance.now() - ageMs;
  /** Bytes known to be on the disk. */
  let flushed = 0;
  return {
    name,
    get isNew() {
      return performance.now() - born < YOUNG_MS;
    },
    file,
    write: (entry) => appendFrames(file, [{ ...entry, flushed }])[0] as FramePlace,
    async flush() {
      const size = file.size();
      await file.flush();
      flushed = size;
    },
  };
}
