import type { RuntimeInfo } from '../../../workers/api.ts';

type Store = RuntimeInfo['store'];

/** The sentence about a log that was lost or restored, for a person to see at once; undefined for any other log. */
export function lossOf({ state }: Store): string | undefined {
  if (state === 'restored') {
    return 'The browser lost the ledger’s database: every record was restored from its private files, and verified.';
  }
  if (state !== 'lost') return undefined;
  return 'The browser lost the ledger (log_lost), and its private files do not have all of it. A new epoch begins; its first record names what was lost. Older runs exist only in your exports.';
}

const MIRRORS: { readonly [M in NonNullable<Store['mirror']>]: string } = {
  opfs: 'They are kept in this origin’s private files, and indexed in IndexedDB.',
  none: 'They are kept in IndexedDB alone: this browser has no private files.',
};

/** The place of the runs, the time for which they are kept, and where. */
export function storageText({ kind, reason, mirror }: Store): string {
  if (kind === 'indexeddb') {
    const place = mirror === undefined ? '' : ` ${MIRRORS[mirror]}`;
    return `Runs are kept in this browser.${place} They are not sent to a server. Export the runs that you must not lose.`;
  }
  if (kind === 'directory') return 'Runs are kept in a directory.';
  return `Runs are kept in memory only and end with this tab. Export the runs that you must not lose. ${reason ?? ''}`;
}
