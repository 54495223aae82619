import { mkdirSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { refuse } from '../../../core/errors.ts';
import { hashText, sha256Hex } from '../../../core/hash.ts';
import { encodeText } from '../../../core/json/utf8.ts';
import { type Frontier, rootOf } from '../../../core/ledger/tree.ts';
import { type Outcome, pass } from '../../../core/outcome.ts';
import { openFile, openToRead } from '../directory/file.ts';
import { type DirectoryWitness, NO_WITNESS, readWitness, witnessIn } from '../directory/witness.ts';
import { EMPTY_LOG } from '../store.ts';
import { altered } from './refusal.ts';

/** Extent of a log that this process has seen. */
export interface SeenLog {
  readonly size: number;
  readonly root: string;
}

/**
 * Size and root of the log as this process saw it last, against a database that was restored from an older backup, or
 * that failed over to a server that lacks the newest records.
 */
export interface LogWitness {
  readonly seen: SeenLog | undefined;
  /**
   * Compares the log as it is with the log as it was. `atSeen` is the end of the batch that ends at the seen size.
   * `log_lost` for a shorter log, `store_damaged` for other records.
   */
  check(log: Frontier, atSeen: Frontier | undefined): Outcome<void>;
  see(log: Frontier): void;
  /** The log was deleted on purpose. */
  forget(): void;
  close(): void;
}

/** A witness in memory and, with a path, in a file for the next process. Throws where the file cannot be read. */
export function openWitness(log: string, path: string | undefined): LogWitness {
  const began = sha256Hex(encodeText(log));
  const file = path === undefined ? NO_WITNESS : witnessFile(resolve(path));
  // the file may hold the extent of another log
  let seen: SeenLog | undefined = file.seen?.began === began ? file.seen : undefined;
  /** The log that was seen, where this process has it: the same object has the same root. */
  let last: Frontier | undefined;
  return {
    get seen() {
      return seen;
    },
    check(now, atSeen) {
      if (seen === undefined) return pass(undefined);
      const { size } = seen;
      if (now.size < size) return refuse('log_lost', { size, found: now.size });
      const isSame =
        size === 0 ||
        (atSeen !== undefined && atSeen === last) ||
        (atSeen?.size === size && rootText(atSeen) === seen.root);
      return isSame ? pass(undefined) : altered(`has other records than were seen before, among its first ${size}`);
    },
    see(now) {
      if (seen !== undefined && now.size <= seen.size) return;
      last = now;
      seen = seenAt(now);
      file.see(began, 0, now);
    },
    forget() {
      [seen, last] = [undefined, undefined];
      file.see(began, 0, EMPTY_LOG);
    },
    close: () => file.close(),
  };
}

/** The extent of a log, whose root is computed when it is asked for. */
function seenAt(log: Frontier): SeenLog {
  let root: string | undefined;
  return {
    size: log.size,
    get root() {
      return (root ??= rootText(log));
    },
  };
}

function rootText(log: Frontier): string {
  return hashText(rootOf(log));
}

/** The form of a directory's witness, in a file that the program names. */
function witnessFile(path: string): DirectoryWitness {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const file = openToRead(path);
  const seen = file && readWitness(file);
  file?.close();
  return witnessIn(seen, () => openFile(path));
}
