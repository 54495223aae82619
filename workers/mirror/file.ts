import type { ByteFile } from '../journal/file.ts';
import { decodeBody, type Entry } from '../journal/frame.ts';
import { appendFrames, frames } from '../journal/journal.ts';
import { openJournal } from '../journal/open.ts';
import { makeContents } from './contents.ts';
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
      return mirrorIn(file, contents);
    },
    remove: () => root.removeEntry(name, { recursive: true }).catch(ignoreAbsent),
  };
}

type Growing = ReturnType<typeof makeContents>;

/** A file that can be appended to. One that is damaged in its middle stays as it is, for whoever restores. */
async function claimWhole(folder: OpfsFolder, { note }: Growing): ReturnType<OpfsFolder['claim']> {
  for (let from = 0; ; from++) {
    const claimed = await folder.claim(from);
    if (openJournal(claimed.file, note).ok) return claimed;
    claimed.file.close();
    from = Number.parseInt(claimed.name, 10);
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
  const file = {
    size: () => bytes.length,
    read: (into: Uint8Array, at: number) => {
      const part = bytes.subarray(at, at + into.length);
      into.set(part);
      return part.length;
    },
  };
  return [...liveEntries(file)];
}

function* liveEntries(file: Pick<ByteFile, 'size' | 'read'>): Generator<Entry> {
  for (const { header, body } of frames(file)) if (header.state === 'live') yield decodeBody(body);
}

function ignoreAbsent(reason: unknown): void {
  if (!(reason instanceof DOMException && reason.name === 'NotFoundError')) throw reason;
}
