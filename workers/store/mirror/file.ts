import { bytesAsFile } from '../journal/bytes.ts';
import { openChain } from '../journal/chain.ts';
import type { ByteFile } from '../journal/file.ts';
import { decodeBody, type Entry, hasContents } from '../journal/frame.ts';
import { appendFrames, type FramePlace, frames, wipe } from '../journal/journal.ts';
import { openJournal } from '../journal/open.ts';
import type { TableWrite } from '../tables.ts';
import { type ContentsBuilder, makeContents } from './contents.ts';
import { namesIn, type OpfsFolder, opfsFolder } from './opfs.ts';
import type { FreshMirror, Mirror, MirrorPlace } from './place.ts';

/** The mirror as append-only files: a file for each kernel at a time, a folder for each epoch. */
export function opfsPlace(root: FileSystemDirectoryHandle, name: string): MirrorPlace {
  const folderOf = async (epoch: number) => {
    const base = await root.getDirectoryHandle(name, { create: true });
    return opfsFolder(await base.getDirectoryHandle(`e${epoch}`, { create: true }));
  };
  /** Epochs with remaining entries; a log may skip any number of epochs. */
  const epochs = async (): Promise<readonly number[]> => {
    const base = await root.getDirectoryHandle(name, { create: true });
    return (await namesIn(base)).map((folder) => Number(folder.slice(1)));
  };
  return {
    form: 'opfs',
    epoch: async () => Math.max(0, ...(await epochs())),
    async readAll(epoch) {
      const files = await (await folderOf(epoch)).all();
      return files.flatMap((bytes) => entriesIn(bytes));
    },
    async open(epoch) {
      const folder = await folderOf(epoch);
      const contents = makeContents();
      const { file, name } = await claimWhole(folder, contents);
      await folder.visit(name, (other) => noteAll(other, contents));
      if (contents.uneven) await sweep(folder, file, contents);
      return mirrorIn(file, contents);
    },
    async isUsed() {
      for (const epoch of await epochs()) if (await (await folderOf(epoch)).isUsed()) return true;
      return false;
    },
    fresh: async (epoch) => freshIn(await folderOf(epoch)),
    async forget(epoch, run_ids) {
      for (const old of await epochs()) {
        if (old >= epoch) continue;
        for (const file of await (await folderOf(old)).idle()) {
          wipeWhere(file, ({ batch }) => batch === undefined || run_ids.has(batch.run_id));
          file.close();
        }
      }
    },
    remove: () => root.removeEntry(name, { recursive: true }).catch(ignoreAbsent),
  };
}

/** Claims a file for appending. A file with damage in its middle stays as it is, for a later restoration. */
async function claimWhole(folder: OpfsFolder, growing: ContentsBuilder): ReturnType<OpfsFolder['claim']> {
  for (let from = 0; ; from++) {
    const claimed = await folder.claim(from);
    let noted = 0;
    const note = (entry: Entry, { length }: FramePlace): void => {
      growing.note(entry, length);
      noted += length;
    };
    const opened = openJournal(claimed.file, note, 'viewed');
    if (opened.ok) {
      growing.waste(claimed.file.size() - noted);
      return claimed;
    }
    claimed.file.close();
    from = Number.parseInt(claimed.name, 10);
  }
}

/** Notes the readable part of another kernel's file; void and torn frames count as waste. */
function noteAll(file: Readable, { note, waste }: ContentsBuilder): void {
  let end = 0;
  for (const { at, header, body, length } of frames(file)) {
    if (hasContents(header.state)) note(decodeBody(body, header.state, 'viewed'), length);
    else waste(length);
    end = at + length;
  }
  waste(file.size() - end);
}

/** A copy in a file with a higher number than all other files. */
async function freshIn(folder: OpfsFolder): Promise<FreshMirror> {
  const { file, name } = await folder.claim(await folder.next());
  const mirror = mirrorIn(file, makeContents());
  return Object.assign(mirror, {
    takeOver: () => folder.removeOthers(name),
    async abandon() {
      file.close();
      await folder.remove(name);
    },
  });
}

/**
 * Erases stale batches in every file without a writer. The other files are erased by their writers at the next opening.
 */
async function sweep(folder: OpfsFolder, mine: ByteFile, growing: ContentsBuilder): Promise<void> {
  wipeStale(mine, growing);
  for (const file of await folder.idle()) {
    wipeStale(file, growing);
    file.close();
  }
}

function wipeStale(file: ByteFile, { isStale }: ContentsBuilder): void {
  wipeWhere(file, ({ batch }) => batch !== undefined && isStale(batch));
}

function wipeWhere(file: ByteFile, goes: (entry: Entry) => boolean): void {
  for (const { at, header, body } of frames(file)) {
    if (hasContents(header.state) && goes(decodeBody(body, header.state, 'viewed'))) wipe(file, { at, header });
  }
}

function mirrorIn(file: ByteFile, { contents, note }: ContentsBuilder): Mirror {
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
    get due() {
      return contents.due;
    },
    async append(entries, flush) {
      appendFrames(file, entries);
      if (flush) await file.flush();
      for (const entry of entries) note(entry);
    },
    async take(mark, give) {
      const chain = openChain(file, mark);
      note({ tables: [], ...mark });
      const add = async (tables: readonly TableWrite[]): Promise<void> => {
        await chain.add(tables);
        note({ tables, at: mark.at });
      };
      try {
        const given = await give(add);
        if (given.ok) await chain.end();
        else chain.undo();
        return given;
      } catch (reason) {
        // a full disk may have taken half of the bytes
        chain.undo();
        throw reason;
      }
    },
    async close() {
      file.close();
    },
  };
}

function entriesIn(bytes: Uint8Array): Entry[] {
  return [...liveEntries(bytesAsFile(bytes))];
}

type Readable = Pick<ByteFile, 'size' | 'read'>;

function* liveEntries(file: Readable): Generator<Entry> {
  for (const { header, body } of frames(file)) if (hasContents(header.state)) yield decodeBody(body, header.state);
}

function ignoreAbsent(reason: unknown): void {
  if (!(reason instanceof DOMException && reason.name === 'NotFoundError')) throw reason;
}
