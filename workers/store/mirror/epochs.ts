import { refuse } from '../../../core/errors.ts';
import { type Outcome, pass } from '../../../core/outcome.ts';
import { type FileFolder, privateFolder } from './folder.ts';
import type { LogIndex } from './log-index.ts';
import { ignoreAbsent, namesIn, openRoot } from './opfs.ts';
import { wipeFiles } from './scan.ts';

/** Private files of a ledger: a folder for each epoch. */
export interface EpochFolders {
  /** The epochs that have a folder. */
  epochs(): Promise<readonly number[]>;
  folder(epoch: number): Promise<FileFolder>;
  /** Erases these runs, and all rows, from the files of earlier epochs. */
  forget(epoch: number, run_ids: ReadonlySet<string>): Promise<void>;
  remove(): Promise<void>;
}

function epochFolders(root: FileSystemDirectoryHandle, name: string): EpochFolders {
  const base = () => root.getDirectoryHandle(name, { create: true });
  const folder = async (epoch: number): Promise<FileFolder> =>
    privateFolder(await (await base()).getDirectoryHandle(`e${epoch}`, { create: true }));
  const epochs = async (): Promise<readonly number[]> =>
    (await namesIn(await base())).map((each) => Number(each.slice(1)));
  return {
    epochs,
    folder,
    async forget(epoch, run_ids) {
      for (const old of await epochs()) {
        if (old >= epoch) continue;
        await wipeFiles(await folder(old), undefined, ({ batch, pending }) => {
          const held = batch ?? pending;
          return held === undefined || run_ids.has(held.run_id);
        });
      }
    },
    remove: () => root.removeEntry(name, { recursive: true }).catch(ignoreAbsent),
  };
}

/**
 * The private files of a ledger, if the platform has them and they can be read. Files that hold a part of the ledger
 * must be read: `mirror_lost`.
 */
export async function usableFolders(name: string, index: LogIndex): Promise<Outcome<EpochFolders | undefined>> {
  const root = await openRoot();
  const folders = root && epochFolders(root, name);
  const isRead = await folders?.epochs().then(
    () => true,
    () => false,
  );
  if (isRead) return pass(folders);
  const offsets = await index.offsets();
  if (!offsets.ok) return offsets;
  const isUsed = [...offsets.value.keys()].some((file) => file.endsWith('.journal'));
  return isUsed ? refuse('mirror_lost', { reason: 'unreadable' }) : pass(undefined);
}
