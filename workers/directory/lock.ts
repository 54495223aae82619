import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Outcome, pass, refuse } from '../../core/inner.ts';

/** The one process that writes a directory, by its number and, where the system tells it, by when it began. */
interface Owner {
  readonly pid: number;
  readonly began?: string;
}

/** Makes this process the one writer of a directory; what is answered gives it free again. `store_locked`. */
export function lockDirectory(directory: string): Outcome<() => void> {
  const path = join(directory, 'lock');
  const mine = JSON.stringify(ownerOf(process.pid));
  for (;;) {
    try {
      writeFileSync(path, mine, { flag: 'wx', mode: 0o600 });
      return pass(() => rmSync(path, { force: true }));
    } catch (error) {
      if (!isCode(error, 'EEXIST')) throw error;
    }
    const found = readOrNothing(path);
    if (found === undefined) continue;
    const owner = parseOwner(found);
    if (owner !== undefined && isAlive(owner)) return refuse('store_locked', { pid: owner.pid });
    takeAway(path, found);
  }
}

/** Only the lock that was read is taken away: another process may have put its own there in the meantime. */
function takeAway(path: string, found: string): void {
  const aside = `${path}.${process.pid}`;
  try {
    renameSync(path, aside);
    if (readFileSync(aside, 'utf8') !== found) linkSync(aside, path);
  } catch (error) {
    if (!isCode(error, 'ENOENT') && !isCode(error, 'EEXIST')) throw error;
  } finally {
    rmSync(aside, { force: true });
  }
}

/** What a killed process left half-written belongs to nobody. */
function parseOwner(text: string): Owner | undefined {
  try {
    const owner = JSON.parse(text) as Owner;
    return Number.isSafeInteger(owner.pid) ? owner : undefined;
  } catch {
    return undefined;
  }
}

function isAlive({ pid, began }: Owner): boolean {
  const now = ownerOf(pid);
  // The number may have been given to another process since.
  if (began !== undefined && now.began !== undefined && began !== now.began) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return !isCode(error, 'ESRCH');
  }
}

/** Field 22 of Linux' `/proc/<pid>/stat`, counted from behind the name, which may hold blanks and brackets. */
function ownerOf(pid: number): Owner {
  const stat = readOrNothing(`/proc/${pid}/stat`);
  const began = stat?.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
  return began === undefined ? { pid } : { pid, began };
}

function readOrNothing(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && (error as NodeJS.ErrnoException).code === code;
}
