import type { ByteFile } from '../journal/file.ts';
import { accessTo, byteFile, ignoreHeld, namesIn } from './opfs.ts';

/** Folder of the private files of an epoch: a file for each kernel, and files of kernels that are gone. */
export interface FileFolder {
  names(): Promise<readonly string[]>;
  /** The file as it is now. A later write to the file can make the blob unreadable. Undefined where it is gone. */
  blob(name: string): Promise<Blob | undefined>;
  /** Opens a file for writing, or makes it. Undefined while another kernel has it open. */
  open(name: string): Promise<ByteFile | undefined>;
  /** A file that is open in another kernel stays. */
  remove(name: string): Promise<void>;
}

export function privateFolder(folder: FileSystemDirectoryHandle): FileFolder {
  return {
    names: () => namesIn(folder),
    async blob(name) {
      try {
        return await (await folder.getFileHandle(name)).getFile();
      } catch (error) {
        if (error instanceof DOMException && error.name === 'NotFoundError') return undefined;
        throw error;
      }
    },
    async open(name) {
      const access = await accessTo(await folder.getFileHandle(name, { create: true }));
      return access && byteFile(access);
    },
    remove: async (name) => folder.removeEntry(name).catch(ignoreHeld),
  };
}

/** A name that no file has had, so that an offset in the index never means another file. */
export function newFileName(): string {
  return `${crypto.randomUUID()}.journal`;
}
