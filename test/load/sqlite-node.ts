import { execFileSync } from 'node:child_process';
import { installNode } from '../../e2e/world/install-node.ts';

/** Node with SQLite, where this one has none. */
const WITH_SQLITE = '24';

export type SqliteNode = { readonly binary: string; readonly version: string } | { readonly reason: string };

/** This Node, or one that is installed in a folder, whichever has SQLite; or the reason why there is none. */
export function nodeWithSqlite(folder: string): SqliteNode {
  if (process.getBuiltinModule('node:sqlite') !== undefined)
    return { binary: process.execPath, version: process.versions.node };
  const installed = installNode(WITH_SQLITE, folder);
  if ('reason' in installed) return { reason: 'this Node has no SQLite, and no other can be installed' };
  const version = execFileSync(installed.binary, ['--version'], { encoding: 'utf8' }).trim().slice(1);
  return { binary: installed.binary, version };
}
