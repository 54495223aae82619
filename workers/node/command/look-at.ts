import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Outcome, Refusal } from '../../../core/outcome.ts';
import { SallyportError } from '../../../core/sallyport-error.ts';
import { JOURNAL, lookAtDirectory, WITNESS } from '../../store/directory/store.ts';
import { lookAtSqlite } from '../../store/sqlite/store.ts';
import type { LedgerStore } from '../../store/store.ts';
import { EXIT, type Terminal, UsageError } from './command.ts';

/** Opens the ledger in a directory or a file of SQLite for reading only. Throws `UsageError` where there is none. */
export function lookAt(path: string): Outcome<LedgerStore> {
  if (statSync(path, { throwIfNoEntry: false })?.isFile() === true) return lookAtFile(path);
  if (![JOURNAL, WITNESS].some((name) => existsSync(join(path, name)))) throw new UsageError(`${path} holds no ledger`);
  return lookAtDirectory(path);
}

function lookAtFile(path: string): Outcome<LedgerStore> {
  try {
    return lookAtSqlite(path);
  } catch (error) {
    if (error instanceof SallyportError) throw new UsageError(error.message);
    throw error;
  }
}

/**
 * Prints a refusal and returns its exit code: a log that another process writes was not read; an unreadable log is
 * malformed.
 */
export function refused({ code, message }: Refusal, terminal: Terminal): number {
  if (code === 'store_locked') throw new UsageError(message);
  terminal.complain(message);
  return EXIT.malformed;
}

/** The only run of the ledger whose id begins with this text. Throws `UsageError` where there is none, or several. */
export async function runIn(store: Pick<LedgerStore, 'runs'>, given: string): Promise<string> {
  const runs = await store.runs();
  if (!runs.ok) throw new UsageError(runs.refusal.message);
  const ids = runs.value.map(({ run_id }) => run_id).filter((id) => id.startsWith(given));
  const [id, another] = ids;
  if (id === undefined) throw new UsageError(`The ledger has no run ${given}`);
  if (another !== undefined && !ids.includes(given)) throw new UsageError(`${ids.length} runs begin with ${given}`);
  return another === undefined ? id : given;
}
