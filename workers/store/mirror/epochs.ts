import { type FileFolder, privateFolder } from './folder.ts';
import { ignoreAbsent, namesIn } from './opfs.ts';
import { wipeFiles } from './scan.ts';

/** Private files of a ledger: a folder for each epoch. */
export interface EpochFolders {
  /** The last epoch with a folder; 0 without a folder. */
  last(): Promise<number>;
  folder(epoch: number): Promise<FileFolder>;
  /** Erases these runs, and all rows, from the files of earlier epochs. */
  forget(epoch: number, run_ids: ReadonlySet<string>): Promise<void>;
  remove(): Promise<void>;
}

export function epochFolders(root: FileSystemDirectoryHandle, name: string): EpochFolders {
  const base = () => root.getDirectoryHandle(name, { create: true });
  const folder = async (epoch: number): Promise<FileFolder> =>
    privateFolder(await (await base()).getDirectoryHandle(`e${epoch}`, { create: true }));
  const epochs = async (): Promise<readonly number[]> =>
    (await namesIn(await base())).map((each) => Number(each.slice(1)));
  return {
    last: async () => Math.max(0, ...(await epochs())),
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
