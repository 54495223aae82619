import { renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Outcome } from '../../../core/outcome.ts';
import type { ByteFile } from '../journal/file.ts';
import { damaged } from '../journal/open.ts';
import { makeFile, NotAFile, openFile, openToRead, replaceFile, syncFolder } from './file.ts';
import type { DirectoryLock } from './lock.ts';
import { DirectoryLog } from './log.ts';
import { type FlushedExtent, readWitness, witnessIn } from './witness.ts';

export const JOURNAL = 'ledger.journal';
export const WITNESS = 'ledger.witness';

/** Opens the log of a directory for writing, under the lock of this process. */
export function openForWriting(path: string, lock: DirectoryLock): Outcome<DirectoryLog> {
  const [journal, witness] = [join(path, JOURNAL), join(path, WITNESS)];
  const seen = witnessed(path);
  // a replacement that was cut off: the journal is as it was
  rmSync(join(path, INCOMING), { force: true });
  // a journal that the witness saw is never replaced by a new, empty one
  const make = () => (seen === undefined ? openFile(journal) : openFile(journal, 'there'));
  const log = (file: ByteFile) =>
    DirectoryLog.open(
      file,
      (fill, close) => replaceFile(journal, fill, close),
      witnessIn(seen, () => (seen === undefined ? makeFile(witness) : openFile(witness))),
      lock,
    );
  return opening(seen, make, log);
}

/** Opens the log of a directory for reading only. */
export function openForReading(path: string): Outcome<DirectoryLog> {
  const seen = witnessed(path);
  return opening(
    seen,
    () => openToRead(join(path, JOURNAL)),
    (file) => DirectoryLog.look(file, { seen }),
  );
}

/** The file in which another log is written whole before it takes the place of the journal. */
export const INCOMING: string = `${JOURNAL}.incoming`;

/** Puts the incoming log, whole on the disk, in the place of the journal. The witness of the journal goes first. */
export function takeIncoming(path: string): void {
  rmSync(join(path, WITNESS), { force: true });
  syncFolder(path);
  renameSync(join(path, INCOMING), join(path, JOURNAL));
  syncFolder(path);
}

/** The witness goes first: a process stopped between the two removals has lost no journal. */
export function removeFiles(path: string): void {
  rmSync(join(path, WITNESS), { force: true });
  syncFolder(path);
  for (const file of [JOURNAL, `${JOURNAL}.new`, INCOMING]) rmSync(join(path, file), { force: true });
}

function opening(
  seen: FlushedExtent | undefined,
  make: () => ByteFile | undefined,
  read: (file: ByteFile) => Outcome<DirectoryLog>,
): Outcome<DirectoryLog> {
  let file: ByteFile | undefined;
  let log: Outcome<DirectoryLog> | undefined;
  try {
    file = make();
    if (file === undefined) return damaged(0, `is gone, and ledger.witness saw ${seen?.bytes ?? 0} bytes on the disk`);
    log = read(file);
    return log;
  } catch (reason) {
    if (reason instanceof NotAFile) return damaged(0, 'is a link, a folder or a device, and no file of its own');
    throw reason;
  } finally {
    if (log?.ok !== true) file?.close();
  }
}

/** Contents of the witness; undefined for a torn or foreign file. */
function witnessed(path: string): FlushedExtent | undefined {
  let file: ByteFile | undefined;
  try {
    file = openToRead(join(path, WITNESS));
    return file && readWitness(file);
  } catch {
    return undefined;
  } finally {
    file?.close();
  }
}
