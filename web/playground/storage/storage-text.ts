import type { RuntimeInfo } from '../../../workers/api.ts';

type Store = RuntimeInfo['store'];

/** The sentence about a log that was lost or restored, for a person to see at once; undefined for any other log. */
export function lossOf({ state }: Store): string | undefined {
  if (state === 'restored') {
    return 'The browser lost the ledger’s database: every record was restored from the second copy, and verified.';
  }
  if (state !== 'lost') return undefined;
  return 'The browser lost the ledger (log_lost), and there is no second copy of all of it. A new epoch begins; its first record names what was lost. Older runs exist only in your exports.';
}

const MIRRORS: { readonly [M in NonNullable<Store['mirror']>]: string } = {
  opfs: 'A second copy is kept in this origin’s private files.',
  cache: 'A second copy is kept in a cache, because this browser has no private files; a power cut may cost its end.',
  none: 'There is no second copy: this browser has no place for one.',
};

/** The place of the runs, the time for which they are kept, and their second copy. */
export function storageText({ kind, reason, mirror }: Store): string {
  if (kind === 'indexeddb') {
    const copy = mirror === undefined ? '' : ` ${MIRRORS[mirror]}`;
    return `Runs are kept in this browser (IndexedDB).${copy} They are not sent to a server. Export the runs that you must not lose.`;
  }
  if (kind === 'directory') return 'Runs are kept in a directory.';
  return `Runs are kept in memory only and end with this tab. Export the runs that you must not lose. ${reason ?? ''}`;
}
