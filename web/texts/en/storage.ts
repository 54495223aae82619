import { type Area, area } from '../area.ts';

/** Shown with the first screen; the dialog has a table of its own. */
const en = {
  /** A log that the browser lost, for a person to see at once. */
  restored: 'The browser lost the ledger’s database: every record was restored from its private files, and verified.',
  lost: 'The browser lost the ledger (log_lost), and its private files do not have all of it. A new epoch begins; its first record names what was lost. Older runs exist only in your exports.',
  /** A restore that a closed page has cut off. */
  cut: 'The restore of a backup was cut off. This ledger is whole, as it was before: choose the file again.',
  inBrowser: (mirror: string): string =>
    `Runs are kept in this browser.${mirror} They are not sent to a server. Export the runs that you must not lose.`,
  mirrors: {
    opfs: ' They are kept in this origin’s private files, and indexed in IndexedDB.',
    none: ' They are kept in IndexedDB alone: this browser has no private files.',
  },
  inDirectory: 'Runs are kept in a directory.',
  inMemory: (reason: string): string =>
    `Runs are kept in memory only and end with this tab. Export the runs that you must not lose. ${reason}`,
};

export type StorageTexts = typeof en;
export const storage: Area<StorageTexts> = area('storage', en);
