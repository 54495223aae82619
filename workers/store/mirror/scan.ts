import { pause } from '../../async/pause.ts';
import { bytesAsFile } from '../journal/bytes.ts';
import { batchName, makeFrameUsage, needsCompaction, weightOf } from '../journal/compaction.ts';
import type { ByteFile } from '../journal/file.ts';
import { decodeBody, type Entry, hasContents } from '../journal/frame.ts';
import { frames, wipe } from '../journal/journal.ts';
import type { FileFolder } from './folder.ts';
import type { OwnFile } from './own-file.ts';

type Readable = Pick<ByteFile, 'size' | 'read'>;

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
  const look = (file: Readable): void => {
    size += file.size();
    for (const { header, body, length } of frames(file)) {
      uneven ||= header.state === 'wiping';
      if (!hasContents(header.state)) continue;
      const entry = decodeBody(body, header.state, 'viewed');
      usage.note(entry, length);
      const batch = entry.batch ?? entry.pending;
      if (batch === undefined) continue;
      const weight = weightOf(batch);
      const other = weights.get(batchName(batch)) ?? weight;
      uneven ||= weight !== other;
      weights.set(batchName(batch), Math.min(weight, other));
    }
  };
  for (const name of await folder.names()) {
    if (name === own.name) look(own.file);
    else {
      const blob = await folder.blob(name);
      look(bytesAsFile(new Uint8Array((await blob?.arrayBuffer().catch(() => undefined)) ?? [])));
    }
    await pause();
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
