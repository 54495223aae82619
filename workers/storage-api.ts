/** Public types of the log and of its storage. */

import type { Label } from '../core/capability/guard.ts';
import type { Code } from '../core/errors.ts';
import type { JsonValue } from '../core/json/value.ts';
import type { Checkpoint } from '../core/ledger/checkpoint.ts';
import type { Report } from '../core/ledger/checks.ts';
import type { Finding } from '../core/ledger/export.ts';
import type { Abortable } from './run-api.ts';

/** A checkpoint of the log. `text` is the whole checkpoint in the form of C2SP's tlog-checkpoint. */
export interface TakenCheckpoint extends Checkpoint {
  readonly text: string;
  /** Public key of the signature, to be kept beside the checkpoint; absent where the platform has no Ed25519. */
  readonly key?: string;
}

/** Result of `ledger.fsck`. `problems` concern the log itself; each run has its own report. */
export interface LogReport {
  readonly ok: boolean;
  readonly size: number;
  readonly root: string;
  readonly problems: readonly Finding[];
  /** Bytes behind the last record that cannot be read, for example of a write that a crash cut off. */
  readonly unreadBytes: number;
  readonly runs: readonly { readonly run_id: string; readonly report: Report }[];
}

/**
 * `onProgress` receives the share that is done, from 0 to 1. Until the write, an aborted signal ends the operation and
 * leaves the ledger unchanged.
 */
export interface KeepOptions extends Abortable {
  readonly onProgress?: (share: number) => void;
}

export interface RestoreOptions extends KeepOptions {
  /** Verify the backup as for an empty ledger, and change no data. */
  readonly only?: 'tried';
}

/** Selection of the data that `ledger.erase` takes. */
export interface ErasureOptions {
  /** Hashes of the bytes to erase; absent: all bytes that the run's records name. */
  readonly payloads?: readonly string[];
  /** Take the values, too, that this run was the last to store by its capabilities. */
  readonly stored?: boolean;
}

/** Result of an erasure. */
export interface Erasure {
  /** Stored values that were erased. */
  readonly values: number;
  /**
   * Other tabs whose private file still holds erased data, because they have not answered: a frozen tab does not. Such
   * a tab erases it when it goes on; the file of a closed tab loses it with the next opening of the ledger. 0: the data
   * is in no copy of the ledger that the runtime can reach.
   */
  readonly otherTabs: number;
}

/** A value that a capability has stored. */
export interface StoredEntry {
  readonly capability: string;
  readonly key: string;
  readonly value: JsonValue;
  readonly labels: readonly Label[];
  /** The run that was the last to put it. */
  readonly run_id?: string;
  /** A held call has put it. */
  readonly held?: true;
}

/** Storage of the ledger and its condition. */
export interface StorageStatus {
  readonly kind: string;
  /**
   * `restored`: the browser had lost its database, and the private files have given all records back. `lost`: records
   * are missing, and a new epoch began.
   */
  readonly state: 'good' | 'restored' | 'lost';
  /** Private files, which hold the ledger beside its index in IndexedDB; `none` where IndexedDB is alone. */
  readonly mirror: 'opfs' | 'none';
  readonly epoch: number;
  /**
   * A restore was cut off, for example by a closed page, before its content was whole. The log is as it was before:
   * restore the file again.
   */
  readonly cut?: true;
  /** Refusal of the last write; absent after a write succeeds. */
  readonly trouble?: { readonly code: Code; readonly message: string };
  /**
   * Whether the browser promised not to evict the ledger, and bytes used and available, where the browser reports them.
   */
  readonly persisted?: boolean;
  readonly usage?: number;
  readonly quota?: number;
}
