/** A file that was dropped, by itself or in a folder. */
export interface DroppedFile {
  /** With a slash in front, from the dropped item on. */
  readonly path: string;
  open(): Promise<File>;
}

/** The dropped items. Call it in the drop event: afterwards they are gone. */
export function entriesIn({ items }: Pick<DataTransfer, 'items'>): readonly FileSystemEntry[] {
  return [...items].map((item) => item.webkitGetAsEntry()).filter((entry) => entry !== null);
}

/** The files of these items, and of the folders among them. Rejects with the reason of the signal. */
export async function filesBelow(
  entries: readonly FileSystemEntry[],
  signal: AbortSignal,
): Promise<readonly DroppedFile[]> {
  const files: DroppedFile[] = [];
  const waiting = [...entries];
  for (let entry = waiting.pop(); entry !== undefined; entry = waiting.pop()) {
    signal.throwIfAborted();
    if (entry.isDirectory) waiting.push(...(await children(entry as FileSystemDirectoryEntry)));
    else files.push(droppedFile(entry as FileSystemFileEntry));
  }
  return files;
}

/** A reader returns a batch of entries at a time (a hundred in Chromium), and an empty batch at the end. */
async function children(folder: FileSystemDirectoryEntry): Promise<readonly FileSystemEntry[]> {
  const reader = folder.createReader();
  const found: FileSystemEntry[] = [];
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
    if (some.length === 0) return found;
    found.push(...some);
  }
}

function droppedFile(entry: FileSystemFileEntry): DroppedFile {
  return { path: entry.fullPath, open: () => new Promise<File>((resolve, reject) => entry.file(resolve, reject)) };
}
