import { bytesAsFile } from '../journal/bytes.ts';
import type { ByteFile } from '../journal/file.ts';
import { decodeBody, type Entry } from '../journal/frame.ts';
import { appendFrames, frames, wipe } from '../journal/journal.ts';
import { openJournal } from '../journal/open.ts';
import { type Growing, makeContents } from './contents.ts';
import { namesIn, type OpfsFolder, opfsFolder } from './opfs.ts';
import type { Mirror, MirrorPlace } from './place.ts';

/** The mirror as files that are appended to: one for each kernel at a time, a folder for each epoch. */
export function opfsPlace(root: FileSystemDirectoryHandle, name: string): MirrorPlace {
  const folderOf = async (epoch: number) => {
    const base = await root.getDirectoryHandle(name, { create: true });
    return opfsFolder(await base.getDirectoryHandle(`e${epoch}`, { create: true }));
  };
  return {
    form: 'opfs',
    async epoch() {
      const base = await root.getDirectoryHandle(name, { create: true });
      return Math.max(0, ...(await namesIn(base)).map((folder) => Number(folder.slice(1))));
    },
    async readAll(epoch) {
      const files = await (await folderOf(epoch)).others();
      return files.flatMap((bytes) => entriesIn(bytes));
    },
    async open(epoch) {
      const folder = await folderOf(epoch);
      const contents = makeContents();
      const { file, name } = await claimWhole(folder, contents);
      for (const bytes of await folder.others(name)) for (const entry of entriesIn(bytes)) contents.note(entry);
      if (contents.uneven) await sweep(folder, file, contents);
      return mirrorIn(file, contents);
    },
    remove: () => root.removeEntry(name, { recursive: true }).catch(ignoreAbsent),
  };
}

/** A file that can be appended to. One that is damaged in its middle stays as it is, for whoever restores. */
async function claimWhole(folder: OpfsFolder, { note }: Growing): ReturnType<OpfsFolder['claim']> {
  for (let from = 0; ; from++) {
    const claimed = await folder.claim(from);
    if (openJournal(claimed.file, note).ok) return claimed;
    claimed.file.close();
    from = Number.parseInt(claimed.name, 10);
  }
}

/** Erased is erased in every file that nobody is writing; in the others by their writers, when they open again. */
async function sweep(folder: OpfsFolder, mine: ByteFile, growing: Growing): Promise<void> {
  wipeStale(mine, growing);
  for (const file of await folder.idle()) {
    wipeStale(file, growing);
    file.close();
  }
}

function wipeStale(file: ByteFile, { isStale }: Growing): void {
  for (const { at, header, body } of frames(file)) {
    const { batch } = header.state === 'live' ? decodeBody(body) : {};
    if (batch !== undefined && isStale(batch)) wipe(file, { at, header });
  }
}

function mirrorIn(file: ByteFile, { contents, note }: Growing): Mirror {
  return {
    get has() {
      return contents.has;
    },
    get end() {
      return contents.end;
    },
    get rows() {
      return contents.rows;
    },
    async append(entries, flush) {
      appendFrames(file, entries);
      if (flush) await file.flush();
      entries.forEach(note);
    },
    async close() {
      file.close();
    },
  };
}

function entriesIn(bytes: Uint8Array): Entry[] {
  return [...liveEntries(bytesAsFile(bytes))];
}

function* liveEntries(file: Pick<ByteFile, 'size' | 'read'>): Generator<Entry> {
  for (const { header, body } of frames(file)) if (header.state === 'live') yield decodeBody(body);
}

function ignoreAbsent(reason: unknown): void {
  if (!(reason instanceof DOMException && reason.name === 'NotFoundError')) throw reason;
}
