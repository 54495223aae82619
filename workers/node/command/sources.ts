import { lstat, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type Group, groupNameOf, groupOf, type InputFile, isEvidenceName } from '../../auditor/handed-in.ts';
import { type Terminal, UsageError } from './command.ts';

/** Bound on the files of a folder, so that a mistaken home directory fails before all of it is read. */
const FILES_MAX = 5_000;
const DEPTH_MAX = 8;

/** Every group that these operands name, in their order. Rejects with `UsageError` where an operand cannot be read. */
export async function groupsOf(operands: readonly string[], terminal: Terminal): Promise<readonly Group[]> {
  const groups: Group[] = [];
  for (const path of operands) {
    if (!(await isFolder(path))) groups.push(await groupOf(path, await terminal.read(path)));
    else for (const group of await foldersOf(path, terminal)) groups.push(group);
  }
  return groups;
}

export async function isFolder(path: string): Promise<boolean> {
  const found = path === '-' ? undefined : await stat(path).catch(() => undefined);
  return found?.isDirectory() === true;
}

/** The files of a folder as a group; each zip in it is a group of its own. Links are not followed. */
async function foldersOf(root: string, terminal: Terminal): Promise<readonly Group[]> {
  const paths: string[] = [];
  const walk = async (folder: string, depth: number): Promise<void> => {
    const names = await readdir(folder).catch((error: unknown) => {
      throw new UsageError(`${folder} cannot be read (${(error as { code?: string }).code ?? 'unknown'})`);
    });
    for (const name of [...names].sort()) {
      const path = join(folder, name);
      const found = await lstat(path);
      if (found.isDirectory() && depth < DEPTH_MAX) await walk(path, depth + 1);
      else if (found.isFile() && isEvidenceName(name)) paths.push(path);
      if (paths.length > FILES_MAX) throw new UsageError(`${root} holds more than ${FILES_MAX} files`);
    }
  };
  await walk(root, 0);
  const groups = new Map<string, InputFile[]>();
  for (const path of paths) {
    const group = await groupOf(path, await terminal.read(path));
    const name = groupNameOf(path);
    groups.set(name, [...(groups.get(name) ?? []), ...group.files]);
  }
  if (groups.size === 0) throw new UsageError(`${root} holds no export: no file ends with .jsonl, .html or .zip`);
  return [...groups].map(([name, files]) => ({ name, files }));
}
