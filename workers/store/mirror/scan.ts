import { makePace, pause } from '../../async.ts';
import { framesIn } from '../journal/blob.ts';
import { batchName, makeFrameUsage, needsCompaction, weightOf } from '../journal/compaction.ts';
import type { ByteFile } from '../journal/file.ts';
import { decodeBody, type Entry } from '../journal/frame.ts';
import { hasContents } from '../journal/header.ts';
import { type FrameAt, frames, wipe } from '../journal/journal.ts';
import type { FileFolder } from './folder.ts';
import type { OwnFile } from './own-file.ts';

/** Contents of all files of a folder. */
export interface FileScan {
  /** Names of all batches. */
  readonly batches: ReadonlySet<string>;
  /** Much is garbage, or a removed row is still there: the files should be rewritten. */
  readonly due: boolean;
  /** Two files hold different amounts of the same batch, or an erasure of a frame was cut off. */
  readonly uneven: boolean;
  /** True for an entry with more content than another copy of its batch. */
  isStale(entry: Entry): boolean;
}

/** Reads all files of a folder, with pauses for other work. An aborted signal throws. */
export async function scanFiles(folder: FileFolder, own: OwnFile, signal?: AbortSignal): Promise<FileScan> {
  const usage = makeFrameUsage();
  const weights = new Map<string, number>();
  let [size, uneven] = [0, false];
  const isDue = makePace();
  const look = ({ header, body, length }: FrameAt): void => {
    uneven ||= header.state === 'wiping';
    if (!hasContents(header.state)) return;
    const entry = decodeBody(body, header.state, 'viewed');
    usage.note(entry, length);
    const batch = entry.batch ?? entry.pending;
    if (batch === undefined) return;
    const weight = weightOf(batch);
    const other = weights.get(batchName(batch)) ?? weight;
    uneven ||= weight !== other;
    weights.set(batchName(batch), Math.min(weight, other));
  };
  const lookAt = async (found: AsyncIterable<FrameAt> | Iterable<FrameAt>): Promise<void> => {
    for await (const frame of found) {
      look(frame);
      if (!isDue(frame.length)) continue;
      await pause();
      signal?.throwIfAborted();
    }
  };
  for (const name of await folder.names()) {
    const blob = name === own.name ? undefined : await folder.blob(name);
    size += blob?.size ?? own.file.size();
    if (blob === undefined) await lookAt(frames(own.file));
    // another kernel may be writing its file
    else await lookAt(framesIn(blob)).catch(ignoreUnreadable);
    signal?.throwIfAborted();
  }
  return {
    batches: new Set(weights.keys()),
    get due() {
      return needsCompaction(usage, size);
    },
    uneven,
    isStale: ({ batch, pending }) => {
      const held = batch ?? pending;
      return held !== undefined && weightOf(held) > (weights.get(batchName(held)) ?? 0);
    },
  };
}

function ignoreUnreadable(reason: unknown): void {
  if (!(reason instanceof DOMException && reason.name === 'NotReadableError')) throw reason;
}

/** Erases entries in the file of this kernel and in every file without a writer. */
export async function wipeFiles(
  folder: FileFolder,
  own: OwnFile | undefined,
  goes: (entry: Entry) => boolean,
): Promise<void> {
  if (own !== undefined) wipeWhere(own.file, goes);
  for (const name of await folder.names()) {
    if (name === own?.name) continue;
    const file = await folder.open(name);
    if (file === undefined) continue;
    wipeWhere(file, goes);
    file.close();
  }
}

function wipeWhere(file: ByteFile, goes: (entry: Entry) => boolean): void {
  for (const { at, header, body } of frames(file)) {
    const isCut = header.state === 'wiping';
    if (isCut || (hasContents(header.state) && goes(decodeBody(body, header.state, 'viewed'))))
      wipe(file, { at, header });
  }
}
