/** `application_id` of the file: `SPLR` in ASCII. */
export const APPLICATION = 0x53504c52;
/** `user_version` of the file. */
export const VERSION = 1;

/**
 * Tables and indexes of the file, in the order of their names. A batch and a row are frames of the journal. A claim is
 * a lease: the store with the token `owner` holds the lock `name` until the time `expires`, in ms since epoch.
 */
export const SCHEMA: readonly (readonly [name: string, sql: string])[] = [
  [
    'batch',
    'CREATE TABLE batch (seq INTEGER PRIMARY KEY, run_id TEXT NOT NULL, run_seq INTEGER NOT NULL, frame BLOB NOT NULL) STRICT',
  ],
  ['batch_run', 'CREATE UNIQUE INDEX batch_run ON batch (run_id, run_seq DESC)'],
  [
    'claim',
    'CREATE TABLE claim (name TEXT PRIMARY KEY, owner TEXT NOT NULL, expires INTEGER NOT NULL, asked INTEGER NOT NULL) STRICT, WITHOUT ROWID',
  ],
  [
    'payload',
    'CREATE TABLE payload (seq INTEGER NOT NULL, nth INTEGER NOT NULL, run_id TEXT NOT NULL, sha256 TEXT NOT NULL, bytes BLOB NOT NULL, PRIMARY KEY (seq, nth)) STRICT',
  ],
  ['payload_hash', 'CREATE INDEX payload_hash ON payload (run_id, sha256, seq)'],
  [
    'row',
    'CREATE TABLE row (kind TEXT NOT NULL, key BLOB NOT NULL, frame BLOB NOT NULL, PRIMARY KEY (kind, key)) STRICT',
  ],
];
